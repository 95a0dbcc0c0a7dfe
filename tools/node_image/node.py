"""Laying out the files of a node, from which Docker makes the image.

Where kind looks for something is kind's own choice, so its files are taken as they are, from its Go module. What
differs here: no network daemon, since containerd can write the network's configuration by itself; a kubelet that starts
on control groups of version 1 too; and containers that need not lower their score with the kernel's out-of-memory
killer, which takes a capability that some machines do not grant.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.commands import run
from tools.node_image import debian, versions

_FILES = Path(__file__).parent / "node"
_NODE_PROGRAMS = ("kubeadm", "kubelet", "kubectl")
_CONTAINERD = ("containerd", "ctr", "containerd-shim-runc-v2")
_CNI = """
[plugins."io.containerd.grpc.v1.cri".cni]
  conf_template = "/etc/containerd/cni.template"
"""
_RUNTIME_GROUP = "--runtime-cgroups=/system.slice/containerd.service"


def lay_out(context: Path, kubernetes: str, programs: Path, containerd: Path, kind_files: Path, pause: str) -> None:
    """Fill `context` with all that the Dockerfile there asks for, but the images.

    `programs` and `containerd` are folders with programs; `pause` is the image that holds a pod's namespaces.
    """
    root = context / "root"
    _copy_kind_files(kind_files, root)
    for script in ("prepare", "load-images"):
        _write(root / "kind/lockstep" / script, (_FILES / script).read_text())
    for manifest in (_FILES / "manifests").iterdir():
        _write(root / "kind/manifests" / manifest.name, manifest.read_text())
    _write(root / "kind/version", f"v{kubernetes}")
    _write(root / "etc/default/kubelet", f"KUBELET_EXTRA_ARGS={_RUNTIME_GROUP} --fail-cgroupv1=false\n")
    _configure_containerd(root / "etc/containerd", containerd / "ctr", pause)
    (root / "usr/bin").mkdir(parents=True)
    _fix_modes(root)
    for program in _NODE_PROGRAMS:
        os.link(programs / program, root / "usr/bin" / program)
    for program in _CONTAINERD:
        os.link(containerd / program, root / "usr/local/bin" / program)
    os.link(debian.built(debian.NODE), context / "debian.tar")
    shutil.copyfile(_FILES / "Dockerfile", context / "Dockerfile")


def _copy_kind_files(source: Path, root: Path) -> None:
    """Copy without modes: the module cache is read-only, and has lost which files are programs."""
    for file in sorted(source.rglob("*")):
        if file.is_file() and file.suffix != ".txt":
            target = root / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def _configure_containerd(folder: Path, ctr: Path, pause: str) -> None:
    config = (folder / "config.toml").read_text()
    config = _replaced(config, '"registry.k8s.io/pause:3.10"', f'"{pause}"')
    config = _replaced(config, "restrict_oom_score_adj = false", "restrict_oom_score_adj = true")
    _write(folder / "config.toml", config + _CNI)
    _write(folder / "cni.template", (_FILES / "cni.template").read_text())
    _write(folder / "cri-base.json", _container_spec(ctr))


def _replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise KindFailed(
            f"kind {versions.KIND} has no single {old!r} in its configuration of containerd; Lockstep needs an update"
        )
    return text.replace(old, new)


def _container_spec(ctr: Path) -> str:
    """What each container starts from: containerd's default, without limits, and with the hook of kind's."""
    spec = json.loads(run([ctr, "oci", "spec"], "asking containerd for its default container"))
    spec["process"].pop("rlimits", None)
    hooks = spec.setdefault("hooks", {}).setdefault("createContainer", [])
    hooks.append({"path": "/kind/bin/mount-product-files.sh"})
    return json.dumps(spec)


def _fix_modes(root: Path) -> None:
    """Make all readable, and programs runnable, whatever the mask of the user who builds."""
    for path in (root, *root.rglob("*")):
        runs = path.is_dir() or path.parent.name == "bin"
        path.chmod(0o755 if runs else 0o644)


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
