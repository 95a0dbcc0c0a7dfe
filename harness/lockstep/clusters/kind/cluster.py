"""One kind cluster for the duration of a block: started, waited for, and deleted again whatever happens."""

from __future__ import annotations

import contextlib
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lockstep.clusters.kind import KindFailed, cache, config, owner
from lockstep.clusters.kind.commands import need, run
from lockstep.clusters.kind.docker import docker, require_daemon
from lockstep.clusters.kind.node_image import own_image
from lockstep.clusters.kind.starting import Start, facts
from lockstep.environments.options import KindOptions

_SCHEDULER = "/etc/kubernetes/manifests/kube-scheduler.yaml"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A ready cluster: its node is ready, and pods can be created in the namespace default.

    `kubeconfig`: for cluster-admin, by a client certificate. `node`: the name of its node, which is that of a container
    too. `gateway`: the address of this machine in the cluster's network. `pause_image`: an image on the node, whose
    container waits for ever. `version`: of Kubernetes, such as v1.36.3.
    """

    name: str
    kubeconfig: Path
    api_url: str
    node: str
    gateway: str
    pause_image: str
    version: str
    kubectl_bin: Path

    @property
    def host_address(self) -> str:
        """The address on which a server of this machine can be reached from inside the cluster. Raises KindFailed."""
        with socket.socket() as probe:
            try:
                probe.bind((self.gateway, 0))
            except OSError as error:
                raise KindFailed(
                    f"the cluster {self.name!r} cannot reach servers of this machine: its gateway {self.gateway!r} "
                    f"is not an address of this machine ({error}), so Docker runs elsewhere; use a Docker daemon of "
                    "this machine"
                ) from error
        return self.gateway

    def kubectl(self, *arguments: str) -> str:
        """The output of kubectl. Raises KindFailed if it fails."""
        command = [str(self.kubectl_bin), f"--kubeconfig={self.kubeconfig}", *arguments]
        return run(command, f"kubectl {' '.join(arguments)}")

    def stop_scheduler(self) -> None:
        """End kube-scheduler for good, so that pods wait for a scheduler of ours. Raises KindFailed.

        It removes the manifest that keeps the scheduler running. Pods that are scheduled already stay where they are.
        """
        docker("exec", self.node, "rm", "-f", _SCHEDULER, what="ending kube-scheduler")
        pod = f"pod/kube-scheduler-{self.node}"
        self.kubectl("wait", "--for=delete", pod, "--namespace=kube-system", "--timeout=60s")


@contextmanager
def kind_cluster(
    options: KindOptions | None = None, *, controllers_off: Sequence[str] = (), flags: config.Flags = config.NO_FLAGS
) -> Iterator[Cluster]:
    """A kind cluster for the duration of the block. Raises KindFailed if it cannot be started; one line says what is
    missing.

    `controllers_off`: controllers that its kube-controller-manager does not run, such as replicaset-controller.
    `flags`: further flags of it, without dashes, such as node-monitor-grace-period.
    """
    options = options or KindOptions()
    require_daemon()
    kind = _program("kind", options.kind_bin, "--kind-bin")
    kubectl = _program("kubectl", options.kubectl_bin, "--kind-kubectl-bin")
    with owner.owned(options.name) as folder:
        owner.refuse_strangers(options.name)
        start = Start(options.name, options.image or own_image(), kind, kubectl, folder)
        wanted = config.render(start.mark, controllers_off, flags)
        with contextlib.nullcontext() if options.keep else owner.watched(options.name, kind, start.kubeconfig):
            try:
                start.up(wanted, reuse=options.keep)
            except BaseException:
                start.down()
                raise
            try:
                yield Cluster(options.name, start.kubeconfig, kubectl_bin=kubectl, **facts(start))
            finally:
                if not options.keep:
                    start.down()


def _program(name: str, given: Path | None, option: str) -> Path:
    """The absolute path of a program. pytest-kind would download a missing program, so it must exist."""
    if given is not None:
        if not given.is_file():
            raise KindFailed(f"{option} {given}: there is no such file")
        return given.absolute()
    built = cache.tool(name)
    if built is not None and shutil.which(name) is None:
        return built
    return Path(
        need(
            name,
            f"which a kind cluster is started with; install it (https://kind.sigs.k8s.io), or name it with {option}",
        )
    )
