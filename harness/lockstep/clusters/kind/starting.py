"""Starting and deleting a cluster through pytest-kind, and reading the facts that its users need."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import yaml

from lockstep.clusters.kind import KindFailed, owner
from lockstep.clusters.kind.commands import run
from lockstep.clusters.kind.docker import docker
from lockstep.errors import extra
from lockstep.files import write_whole

_PATIENCE = "180s"  # from the first answer of the API server until pods can be made
_EXAMPLE = "--kind-image kindest/node:v1.36.1"  # one of kind's own, from Docker Hub
_TAIL = 600  # characters of kind's log that a message shows


class Facts(TypedDict):
    """The facts of a running cluster: see Cluster."""

    api_url: str
    node: str
    gateway: str
    pause_image: str
    version: str


@dataclass(frozen=True, slots=True)
class Start:
    """How a cluster is started: its name, the image of its nodes ("" for kind's default), programs, its own folder."""

    name: str
    image: str
    kind: Path
    kubectl: Path
    folder: Path

    @property
    def kubeconfig(self) -> Path:
        """The file that kind writes."""
        return self.folder / "kubeconfig"

    @property
    def mark(self) -> Path:
        """The empty folder that nodes mount."""
        return self.folder / "mark"

    def up(self, wanted: str, *, reuse: bool) -> None:
        """Start the cluster and wait for it. Raises KindFailed.

        `wanted`: its configuration. A cluster that an earlier run left behind under its name is deleted first. With
        `reuse` it is used again, if it was started with the same configuration.
        """
        plan = f"# image: {self.image or '(the default of kind)'}\n{wanted}"
        written = self.folder / "config.yaml"
        self.mark.mkdir(exist_ok=True)
        alike = written.is_file() and written.read_text() == plan and self.kubeconfig.is_file()
        if owner.nodes(self.name) and not (reuse and alike):
            self.down()
        write_whole(written, plan)
        self._log.write_text("")
        cluster = self._cluster()
        try:
            cluster.create(config_file=written)
        except (OSError, subprocess.SubprocessError) as error:
            hint = "" if self.image else f"; name another node image with {_EXAMPLE}, if the default cannot be had"
            raise KindFailed(
                f"the kind cluster {self.name!r} did not start: {self._kind_output() or error}{hint}"
            ) from error
        self._wait()

    def down(self) -> None:
        """Delete the cluster and its files. Raises KindFailed."""
        try:
            self._cluster().delete()
        except (OSError, subprocess.SubprocessError) as error:
            raise KindFailed(
                f"the kind cluster {self.name!r} cannot be deleted: {self._kind_output() or error}; "
                f"try again: kind delete cluster --name {self.name}"
            ) from error
        self.kubeconfig.unlink(missing_ok=True)
        (self.folder / "config.yaml").unlink(missing_ok=True)

    @property
    def _log(self) -> Path:
        return self.folder / "kind.log"

    def _kind_output(self) -> str:
        output = " ".join(self._log.read_text(errors="replace").split())
        return f"...{output[-_TAIL:]} (all of it: {self._log})" if len(output) > _TAIL else output

    def _cluster(self) -> Any:
        """pytest-kind's object. It makes a folder where it is, and starts programs as they are."""
        with extra("cluster", "kind clusters"):
            from pytest_kind import KindCluster
        with contextlib.chdir(self.folder):
            return KindCluster(self.name, self.kubeconfig, self.image or None, self._quiet_kind(), self.kubectl)

    def _quiet_kind(self) -> Path:
        """A script that runs kind with its output in a file. The kernel kills it if we are killed."""
        mortal = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
        script = self.folder / "kind"
        write_whole(
            script, f'#!/bin/sh\nexec {shlex.join([*mortal, str(self.kind)])} "$@" 2>>{shlex.quote(str(self._log))}\n'
        )
        script.chmod(0o755)
        return script

    def _wait(self) -> None:
        """Wait until the node accepts pods, and pods can be created, which takes their namespace's service account."""
        for awaited in (("--for=condition=Ready", "node", "--all"), ("--for=create", "serviceaccount/default")):
            command = [str(self.kubectl), f"--kubeconfig={self.kubeconfig}", "wait", *awaited, f"--timeout={_PATIENCE}"]
            run(command, f"waiting for the kind cluster {self.name!r}")


def facts(start: Start) -> Facts:
    """The facts of the cluster. Raises KindFailed."""
    (container,) = owner.nodes(start.name)
    inspected = json.loads(docker("inspect", container, what="inspecting the node"))[0]
    networks = inspected["NetworkSettings"]["Networks"].values()
    kubeconfig = yaml.safe_load(start.kubeconfig.read_text())
    return Facts(
        api_url=kubeconfig["clusters"][0]["cluster"]["server"],
        node=inspected["Name"].removeprefix("/"),
        gateway=next((network["Gateway"] for network in networks if network["Gateway"]), ""),
        pause_image=_pause_image(container),
        version=_in_node(container, "cat", "/kind/version").strip(),
    )


def _pause_image(node: str) -> str:
    listed = _in_node(node, "ctr", "--namespace=k8s.io", "images", "list", "--quiet").split()
    found = sorted(name for name in listed if "/pause:" in name)
    if not found:
        raise KindFailed(f"the node {node[:12]} has no pause image, which each kind node has; its image is damaged")
    return found[-1]


def _in_node(node: str, *command: str) -> str:
    return docker("exec", node, *command, what=f"running {command[0]} in the node")
