"""Upstream on real ground: its own programs, each talking to the cluster through its tenant's gateway.

The controllers of a scenario that start together are one kube-controller-manager, as in a real cluster.
"""
# ruff: noqa: D102 - the protocols in harness.implementations say what each method means

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from harness.control_plane import commands
from harness.control_plane.access import kubeconfig
from harness.control_plane.binaries import provide
from harness.control_plane.processes import Process
from harness.control_plane.programs import MANAGER
from harness.ground.gateway import Gateway
from harness.ground.loop import GroundLoop
from harness.implementations import feature_gates_of, options_of
from harness.implementations.registry import UsageError, parse_mix, parse_spec

if TYPE_CHECKING:
    from harness.implementations import Implementation
    from harness.implementations.calls import CallAnswer
    from harness.loop import VirtualLoop
    from harness.network import Network
    from harness.options import Options
    from harness.trace.recordings import Provenance

#: What kube-controller-manager calls each controller.
NAMES = {"replicaset": "replicaset-controller", "hpa": "horizontal-pod-autoscaler-controller"}
_HPA = "horizontal-pod-autoscaler"


def flags_of(controller: str, options: Mapping[str, Any]) -> list[str]:
    """The flags of kube-controller-manager that make these options."""
    if controller == "replicaset":
        return [f"--concurrent-replicaset-syncs={options['workers']}"]
    spans = ("sync_period", "downscale_stabilization", "cpu_initialization_period", "initial_readiness_delay")
    return [
        f"--concurrent-{_HPA}-syncs={options['workers']}",
        f"--{_HPA}-tolerance={options['tolerance']}",
        *(f"--{_HPA}-{name.replace('_', '-')}={round(options[name] * 1000)}ms" for name in spans),
    ]


class Launcher:
    """Starts programs, and ends them with the session."""

    def __init__(self, release: str, progress: Callable[[str], None]) -> None:
        self._release = release
        self._progress = progress
        self._held = ExitStack()
        self._folder = Path()
        self._started = 0

    def __enter__(self) -> Self:
        self._folder = Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="lockstep-programs-")))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._held.close()

    def prepare(self) -> None:
        """Find the program, or build it."""
        self._program = provide([MANAGER], self._release, self._progress)[MANAGER.name].path

    def manager(self, url: str, controllers: Sequence[str], flags: Sequence[str], gates: Mapping[str, bool]) -> Process:
        """Start kube-controller-manager against `url` with these controllers."""
        self._started += 1
        label = f"kube-controller-manager-{self._started}"
        config = self._folder / f"{label}.kubeconfig"
        config.write_text(kubeconfig(url, None, None))
        options = commands.Options(feature_gates=gates)
        command = commands.kube_controller_manager(self._program, config, controllers, options, flags)
        return Process(label, command, self._folder / f"{label}.log")


def open_on_ground(spec: str, release: str, launcher: Launcher) -> Implementation:
    """An implementation for real ground. Raises UsageError for one that has no programs."""
    from harness.implementations.mixed import Mixed

    base, others = parse_mix(spec)
    sides = {one: _open(one, release, launcher) for one in sorted({base, *others.values()})}
    if not others:
        return sides[base]
    return Mixed(spec, sides[base], {name: sides[one] for name, one in others.items()})


def _open(spec: str, release: str, launcher: Launcher) -> Implementation:
    kind, argument = parse_spec(spec)
    if kind == "reference":
        from harness.implementations.reference import Reference

        return Reference()
    if argument.startswith("path="):
        raise UsageError(f"{spec!r}: a checkout runs in memory only; on a real cluster, upstream is a release")
    if argument not in ("", release):
        raise UsageError(f"{spec!r}: on a real cluster, upstream is of the cluster's release, {release}")
    launcher.prepare()
    return Programs(spec, launcher)


class Programs:
    """Upstream's programs as an implementation."""

    def __init__(self, spec: str, launcher: Launcher) -> None:
        self.spec = spec
        self._launcher = launcher

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> RunningPrograms:
        assert isinstance(loop, GroundLoop)
        return RunningPrograms(self._launcher, loop, network, options)

    def provenance(self, seed: int) -> Provenance:
        raise UsageError("recordings are taken in memory only: leave --environment out")

    def close(self) -> None:
        """The launcher ends what runs."""


class RunningPrograms:
    """Upstream's programs in one run."""

    def __init__(self, launcher: Launcher, loop: GroundLoop, network: Network, options: Options) -> None:
        self._launcher = launcher
        self._loop = loop
        self._network = network
        self._options = options
        self._waiting: list[str] = []
        self._running: dict[str, _Program] = {}

    def start(self, controller: str) -> None:
        if not self._waiting:
            self._loop.world_at(self._loop.now, self._launch)
        self._waiting.append(controller)

    def _launch(self) -> None:
        """Those that are started in one go are one program."""
        names, self._waiting = self._waiting, []
        if not names:
            return
        assert self._loop.gateways is not None
        gateway = self._loop.gateways.open(self._loop.inbox, self._network)
        flags: list[str] = []
        gates: dict[str, bool] = {}
        for name in names:
            flags += flags_of(name, options_of(name, self._options))
            gates |= feature_gates_of(name, self._options) or {}
        process = self._launcher.manager(gateway.start(), [NAMES[name] for name in names], flags, gates)
        program = _Program(gateway, process)
        self._running |= dict.fromkeys(names, program)

    def crash(self, controller: str) -> None:
        if controller in self._waiting:
            self._waiting.remove(controller)
        program = self._running.pop(controller, None)
        if program is not None:
            program.kill()

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        raise NotImplementedError(f"the {controller} controller serves nobody")

    def end(self) -> None:
        for controller in [*self._waiting, *self._running]:
            self.crash(controller)

    @property
    def errors(self) -> list[str]:
        return []

    @property
    def failure(self) -> str | None:
        """A program that has ended by itself."""
        return next((death for one in self._running.values() if (death := one.process.death())), None)


class _Program:
    """One kube-controller-manager. It is killed when the first of its controllers crashes: nobody can crash alone."""

    def __init__(self, gateway: Gateway, process: Process) -> None:
        self.gateway = gateway
        self.process = process

    def kill(self) -> None:
        """Unless that is done already."""
        if not self.gateway.dead:
            self.gateway.stop()
            self.process.stop()
