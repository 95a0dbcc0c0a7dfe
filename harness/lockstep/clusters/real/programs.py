"""Upstream on a real cluster: its own programs, each using the cluster through its tenant's gateway.

Controllers of Kubernetes that start together share one kube-controller-manager, as in a real cluster. Each part of the
VPA is a separate program.
"""
# ruff: noqa: D102 - the protocols in lockstep.implementations say what each method means

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lockstep.clusters.control_plane.processes import Process
from lockstep.clusters.real.callee import Callee
from lockstep.clusters.real.gateway import Gateway
from lockstep.clusters.real.launcher import Launcher
from lockstep.clusters.real.loop import RealLoop
from lockstep.controllers.names import ACTORS, LISTENERS, feature_gates_of, options_of
from lockstep.implementations.registry import UsageError, parse_mix, parse_spec
from lockstep.implementations.upstream.errors import UpstreamFailed
from lockstep.network.calls import REFUSED

if TYPE_CHECKING:
    from lockstep.controllers.options import Options
    from lockstep.implementations import Implementation
    from lockstep.network import Network
    from lockstep.network.calls import CallAnswer
    from lockstep.time.loop import VirtualLoop
    from lockstep.trace.recordings import Provenance

#: kube-controller-manager's name of each controller.
NAMES = {"replicaset": "replicaset-controller", "hpa": "horizontal-pod-autoscaler-controller"}
#: The actor whose lists and watches fill the caches of all of them.
INFORMERS = "shared-informers"
_HPA = "horizontal-pod-autoscaler"
#: Seconds between two checks that the programs run.
_GLANCE = 0.5


def flags_of(controller: str, options: Mapping[str, Any]) -> list[str]:
    """The flags of kube-controller-manager for these options."""
    if controller == "replicaset":
        return [f"--concurrent-replicaset-syncs={options['workers']}"]
    spans = ("sync_period", "downscale_stabilization", "cpu_initialization_period", "initial_readiness_delay")
    return [
        f"--concurrent-{_HPA}-syncs={options['workers']}",
        f"--{_HPA}-tolerance={options['tolerance']}",
        *(f"--{_HPA}-{name.replace('_', '-')}={round(options[name] * 1000)}ms" for name in spans),
    ]


def open_on_cluster(spec: str, release: str, launcher: Launcher) -> Implementation:
    """An implementation for real clusters. Raises UsageError for one that has no programs."""
    from lockstep.implementations.mixed import Mixed

    base, others = parse_mix(spec)
    sides = {one: _open(one, release, launcher) for one in sorted({base, *others.values()})}
    if not others:
        return sides[base]
    return Mixed(spec, sides[base], {name: sides[one] for name, one in others.items()})


def _open(spec: str, release: str, launcher: Launcher) -> Implementation:
    kind, argument = parse_spec(spec)
    if kind == "reference":
        from lockstep.implementations.reference import Reference

        return Reference()
    if argument.startswith("path="):
        raise UsageError(f"{spec!r}: a checkout runs in memory only; on a real cluster, upstream is a release")
    if argument not in ("", release):
        raise UsageError(f"{spec!r}: on a real cluster, upstream is of the cluster's release, {release}")
    launcher.prepare(NAMES)
    return Programs(spec, launcher)


class Programs:
    """Upstream's programs as an implementation."""

    def __init__(self, spec: str, launcher: Launcher) -> None:
        self.spec = spec
        self._launcher = launcher

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> RunningPrograms:
        assert isinstance(loop, RealLoop)
        return RunningPrograms(self._launcher, loop, network, options)

    def provenance(self, seed: int) -> Provenance:
        raise UsageError("recordings are taken in memory only: leave --environment out")

    def close(self) -> None:
        """The launcher ends the running programs."""


class RunningPrograms:
    """Upstream's programs in one run."""

    def __init__(self, launcher: Launcher, loop: RealLoop, network: Network, options: Options) -> None:
        self._launcher = launcher
        self._loop = loop
        self._network = network
        self._options = options
        self._waiting: list[str] = []
        self._running: dict[str, _Program] = {}
        #: The result of `failure` at the end of the run.
        self._death = ""
        loop.world_at(loop.now, self._look)

    def start(self, controller: str) -> None:
        if not self._waiting:
            self._loop.world_at(self._loop.now, self._launch)
        self._waiting.append(controller)

    def _launch(self) -> None:
        """Start one program for all waiting controllers of Kubernetes, and one for each of the VPA."""
        names, self._waiting = self._waiting, []
        for name in names:
            if name not in NAMES:
                self._launch_autoscaler(name)
        if managed := [name for name in names if name in NAMES]:
            self._launch_manager(managed)

    def _look(self) -> None:
        """End the run if a program has died, since the run would only wait for it."""
        if death := self.failure:
            raise UpstreamFailed(death)
        self._loop.world_after(_GLANCE, self._look)

    def _launch_manager(self, names: Sequence[str]) -> None:
        flags: list[str] = []
        gates: dict[str, bool] = {}
        for name in names:
            flags += flags_of(name, options_of(name, self._options))
            gates |= feature_gates_of(name, self._options) or {}
        gateway = self._gateway()
        process = self._launcher.manager(gateway.start(), [NAMES[name] for name in names], flags, gates)
        self._running |= dict.fromkeys(names, _Program(gateway, process))

    def _launch_autoscaler(self, name: str) -> None:
        gates = feature_gates_of(name, self._options) or {}
        gateway = self._gateway(ACTORS[name])
        url, options = gateway.start(), options_of(name, self._options)
        if name in LISTENERS:
            self._running[name] = _Program(gateway, *self._launcher.webhook(name, url, options, gates))
        else:
            self._running[name] = _Program(gateway, self._launcher.autoscaler(name, url, options, gates))

    def _gateway(self, actor: str = "") -> Gateway:
        assert self._loop.gateways is not None
        return self._loop.gateways.open(self._loop.inbox, self._network, actor)

    def crash(self, controller: str) -> None:
        if controller in self._waiting:
            self._waiting.remove(controller)
        program = self._running.pop(controller, None)
        if program is not None:
            program.kill()

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        running = self._running.get(controller)
        if running is None or running.callee is None:
            answer(REFUSED)
            return lambda: None
        assert self._loop.gateways is not None
        return running.callee.call(self._loop.gateways.loop, self._loop.inbox, method, path, headers, body, answer)

    def end(self) -> None:
        self._death = self.failure or ""
        for controller in [*self._waiting, *self._running]:
            self.crash(controller)

    @property
    def errors(self) -> list[str]:
        return []

    @property
    def failure(self) -> str | None:
        """Which program has ended by itself, and how."""
        deaths = (one.process.death() for one in self._running.values())
        return next(filter(None, deaths), None) or self._death or None


class _Program:
    """A program. It is killed when the first of its controllers crashes: they cannot crash separately."""

    def __init__(self, gateway: Gateway, process: Process, callee: Callee | None = None) -> None:
        self.gateway = gateway
        self.process = process
        self.callee = callee

    def kill(self) -> None:
        """Kill it, unless that is done already."""
        if not self.gateway.dead:
            self.gateway.dead = True
            self.process.stop()
            self.gateway.stop()
