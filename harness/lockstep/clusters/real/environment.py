"""The environments with a real API server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lockstep.clusters.real.launcher import Launcher
from lockstep.clusters.real.programs import NAMES, open_on_cluster
from lockstep.clusters.real.run import run_on_cluster
from lockstep.clusters.real.session import RealSession
from lockstep.clusters.real.watchdog import Watchdog
from lockstep.environments.options import ClusterOptions
from lockstep.errors import extra
from lockstep.implementations.registry import UsageError

if TYPE_CHECKING:
    from lockstep.clusters.control_plane import ControlPlane
    from lockstep.environments.memory import RunResult
    from lockstep.implementations import Implementation
    from lockstep.scenarios.declare import Scenario


#: Controllers that admission needs.
_HELPERS = ("resourcequota-controller",)
#: Controllers that would act on objects that scenarios create as mere data or leave to the simulated world.
_OWNERS = ("deployment", "statefulset", "daemonset", "job", "cronjob", "replicationcontroller")
#: Controllers whose work the simulated world does.
_WORLD = ("garbage-collector", "pod-garbage-collector", "disruption")
_KIND_OFF = (*NAMES.values(), *(f"{name}-controller" for name in (*_OWNERS, *_WORLD)))
#: Nodes of scenarios have no kubelets that send heartbeats.
_KIND_FLAGS = {"node-monitor-grace-period": "24h"}


class RealEnvironment:
    """A session on a real cluster, which is started if necessary and left as it was found."""

    real = True

    def __init__(self, name: str, release: str, cluster: ClusterOptions, progress: Callable[[str], None]) -> None:
        self._name = name
        self._release = release
        self._cluster = cluster
        self._progress = progress
        self._held = ExitStack()
        self._session: RealSession | None = None
        #: The control plane that we started, if we did: its processes may die.
        self._plane: ControlPlane | None = None
        self._launcher = Launcher(release, progress)

    def __enter__(self) -> Self:
        """Start the cluster, or look for it. Raises ClusterError, and what the cluster's own start raises."""
        with extra("cluster", "real clusters"):  # before anything is built or started
            for name in ("kubernetes", "trustme", *(["pytest_kind"] if self._name == "kind" else [])):
                import_module(name)
        try:
            kubeconfig, reach = self._start()
            self._held.enter_context(self._launcher)
            accounts = self._name != "control-plane"
            session = RealSession(kubeconfig, self._cluster.context, accounts=accounts, reach=reach)
            self._session = self._held.enter_context(session)
            if self._plane is not None:
                self._held.enter_context(Watchdog(self._plane.death, self._bury))
            if self._name == "kubeconfig":
                self._session.refuse_rivals()
        except BaseException:
            self._held.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._held.close()

    def _start(self) -> tuple[Path, tuple[str, str] | None]:
        """The kubeconfig of the cluster, and how it reaches servers of ours (see `RealSession`)."""
        if self._name == "control-plane":
            from lockstep.clusters.control_plane import start_control_plane

            plane = self._held.enter_context(start_control_plane(self._release, self._progress))
            plane.start_controller_manager(_HELPERS)
            self._plane = plane
            return plane.kubeconfig, ("127.0.0.1", "localhost")
        if self._name == "kind":
            from lockstep.clusters.kind.cluster import kind_cluster

            self._progress("starting a kind cluster")
            # A cluster that stays must delete namespaces. That is expensive: each one takes requests for every kind.
            kept = self._cluster.kind.keep
            off = _KIND_OFF if kept else (*_KIND_OFF, "namespace-controller")
            started = self._held.enter_context(kind_cluster(self._cluster.kind, controllers_off=off, flags=_KIND_FLAGS))
            started.stop_scheduler()
            return started.kubeconfig, (started.host_address, started.host_address)
        if not self._cluster.kubeconfig:
            raise UsageError(
                "--environment kubeconfig needs --kubeconfig FILE: Lockstep only uses a cluster that you name"
            )
        return Path(self._cluster.kubeconfig).expanduser(), None

    def _bury(self, reason: str) -> None:
        """The cluster has died: end all of its runs, which would only wait."""
        assert self._plane is not None
        assert self._session is not None
        self._plane.close()
        self._session.lose(reason)

    def implementation(self, spec: str, release: str) -> Implementation:
        """An implementation in Python in this process, or upstream's own programs."""
        return open_on_cluster(spec, release, self._launcher)

    def run(self, scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        """In its own tenant, on the machine's clock.

        Raises an error if the cluster has died, or if a program that it needs cannot be built.
        """
        assert self._session is not None, "use the environment as a context manager"
        if self._launcher.used:
            self._launcher.prepare(scenario.controllers)
        result = run_on_cluster(self._session, scenario, implementation, seed)
        if self._plane is not None:
            self._plane.check()
        return result

    def abandon(self) -> None:
        """End all runs. End all runs. The cluster stays as it is, and tenants clean up after themselves."""
        assert self._session is not None
        self._session.lose("given up")
