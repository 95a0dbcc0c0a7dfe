"""The `memory` environment: one scenario, one fresh cluster, one virtual clock."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lockstep.apiserver import ApiServer, Request
from lockstep.controllers.names import ACTORS, WEBHOOK_SERVICES
from lockstep.implementations import Controllers, Implementation
from lockstep.implementations.upstream.errors import RunRefused, UpstreamFailed
from lockstep.metrics import Metrics
from lockstep.network import Network
from lockstep.network.webhooks import Webhooks
from lockstep.objects.definitions import definitions_for
from lockstep.prometheus import Prometheus
from lockstep.scenarios.checks import FailedCheck, describe
from lockstep.scenarios.cluster import ApiFailure, Cluster, ClusterLost, NeverSettles
from lockstep.scenarios.declare import Scenario
from lockstep.scenarios.location import failing_line
from lockstep.time import loop as virtual
from lockstep.time.clock import SECOND, seconds
from lockstep.time.python_gc import rarely_collected
from lockstep.trace.history import History, Write
from lockstep.trace.invariants.base import NO_RESTART
from lockstep.world import World

#: Seconds between the start of the controllers and the first step of a scenario: their caches are synced by then.
WARM_UP = 1.0
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(slots=True)
class RunResult:
    """The result of one run. `failed`: failed assertions; `error`: what kept the run from ending, or ""."""

    history: History
    start_instant: int
    end_instant: int
    assertions: int
    wall_seconds: float
    failed: tuple[FailedCheck, ...] = ()
    error: str = ""
    controller_errors: tuple[str, ...] = ()
    #: Conditions of `lockstep.trace.invariants.base` that the scenario broke.
    broken_conditions: frozenset[str] = frozenset()
    #: On a real clock: the greatest delay, in seconds, with which the machine did something that was due.
    late: float = 0.0

    @property
    def failure(self) -> str:
        """The failed assertions, in words; "" if there are none."""
        return describe(list(self.failed))

    @property
    def virtual_seconds(self) -> float:
        """How long the scenario took on its own clock."""
        return (self.end_instant - self.start_instant) / SECOND


class MemoryRun:
    """Everything of one run; a `Cluster` is its face."""

    def __init__(self, scenario: Scenario, implementation: Implementation, seed: int) -> None:
        self.scenario = scenario
        self.loop = self.make_loop()
        self.server = self.make_server(seed)
        for definition in definitions_for(scenario.controllers):
            self.define(definition)
        self.history = History((ACTORS[name] for name in scenario.controllers), options=scenario.options)
        self.server.observers.append(self.history.record)
        self.network = Network(self.loop, self.server, random.Random(seed) if seed else None)
        self.network.scale_observers.append(self.history.record_read)
        self.webhooks = Webhooks(self.network)
        self.world = World(self.loop, self.server, seed=seed)
        if "replicaset" in scenario.controllers:
            self.world.owners.under_test = frozenset({"ReplicaSet"})
        self.prometheus = Prometheus(lambda: self.cluster.start_instant)
        self.network.others["prometheus"] = self.prometheus.serve
        self.metrics = Metrics(self.server, self.world.memory.add)
        try:
            self.controllers: Controllers = implementation.attach(self.loop, self.network, scenario.options, seed)
        except UpstreamFailed:
            self.loop.close()
            raise
        self._running: set[str] = set()
        self._let_webhooks_be_reached()
        self.cluster = Cluster(self)

    def make_loop(self) -> virtual.VirtualLoop:
        """The loop of the run."""
        loop = virtual.VirtualLoop()
        loop.horizon = seconds(self.scenario.horizon + WARM_UP)
        return loop

    def make_server(self, seed: int) -> ApiServer:
        """The API server of the run."""
        return ApiServer(lambda: self.loop.now, seed=seed, feature_gates=self.scenario.options.feature_gates)

    def define(self, definition: Mapping[str, Any]) -> None:
        """Create the definition of a custom resource that a controller under test needs."""
        self.server.handle(Request("POST", _DEFINITIONS, body=definition))

    async def warm_up(self) -> None:
        """Let the controllers fill their caches."""
        await self.loop.world_sleep(WARM_UP)

    def _let_webhooks_be_reached(self) -> None:
        """Connect the controllers that are webhooks to their Services."""
        for name, (namespace, service) in WEBHOOK_SERVICES.items():
            if name in self.scenario.controllers:
                callee = partial(self.controllers.serve, name, "POST")
                self.webhooks.serve(namespace, service, callee, ACTORS[name])

    @property
    def controllers_running(self) -> bool:
        """Whether all controllers under test run."""
        return len(self._running) == len(self.scenario.controllers)

    def start_controllers(self, names: Sequence[str] = ()) -> None:
        """Start the controllers under test, or those of them that are named, unless they run already."""
        for name in self._chosen(names):
            if name not in self._running:
                self._running.add(name)
                self.controllers.start(name)

    def crash_controllers(self, names: Sequence[str] = ()) -> None:
        """Stop the controllers under test, or those of them that are named, at once."""
        self.network.broken_conditions.add(NO_RESTART)
        for name in self._chosen(names):
            self._running.discard(name)
            self.controllers.crash(name)

    def _chosen(self, names: Sequence[str]) -> Sequence[str]:
        for name in names:
            if name not in self.scenario.controllers:
                known = ", ".join(self.scenario.controllers)
                raise ValueError(f"scenario {self.scenario.id} has no controller {name!r}, only {known}")
        return names or self.scenario.controllers

    def last_write(self) -> str:
        """The last write of the history, in words."""
        last: Write | None = None
        for last in self.history:  # noqa: B007 - the last one is wanted
            pass
        if last is None:
            return "none"
        return f"{last.actor} {last.verb} {last.resource} {last.name} at {last.at / SECOND:.3f} s"

    async def play(self) -> None:
        """Start the world and the controllers, then run the scenario's body."""
        self.world.start()
        if self.scenario.autostart:
            self.start_controllers()
        await self.warm_up()
        self.cluster.start_instant = self.loop.now
        self.metrics.begin()
        await self.scenario.body(self.cluster)


def run_scenario(scenario: Scenario, implementation: Implementation, seed: int = 0) -> RunResult:
    """Run one scenario in memory. Errors of the scenario or a controller are in the result, not raised."""
    return result_of(lambda: MemoryRun(scenario, implementation, seed))


def result_of(make: Callable[[], MemoryRun]) -> RunResult:
    """Play the run that `make` makes. Errors of the scenario or a controller are in the result, not raised."""
    began = time.perf_counter()
    with rarely_collected():
        try:
            run = make()
        except RunRefused as refused:
            return RunResult(History(), 0, 0, 0, time.perf_counter() - began, error=str(refused))
        error = _guarded(lambda: _play(run), run.scenario.file)
    if run.controllers.failure:
        error = run.controllers.failure
    return RunResult(
        history=run.history,
        start_instant=run.cluster.start_instant,
        end_instant=run.loop.now,
        assertions=run.cluster.checks.evaluated,
        wall_seconds=time.perf_counter() - began,
        failed=tuple(run.cluster.checks.failed),
        error=error,
        controller_errors=tuple(run.controllers.errors),
        broken_conditions=frozenset(run.network.broken_conditions),
    )


def _play(run: MemoryRun) -> None:
    run.loop.set_exception_handler(_ignore)

    async def main() -> None:
        try:
            await run.play()
        finally:
            run.server.observers.remove(run.history.record)
            run.network.scale_observers.clear()
            run.controllers.end()

    virtual.run(run.loop, main())


def _ignore(_: Any, __: Any) -> None:
    """An exception of a controller's task is reported by its implementation, not in asyncio's log."""


def _guarded(play: Callable[[], None], file: str) -> str:
    """Play the run. Returns what went wrong in one line; "" if nothing did."""
    try:
        play()
    except ApiFailure as refused:
        where = failing_line(refused.__traceback__, file)
        return f"the API server refused a request of the scenario: {refused} ({where})"
    except (NeverSettles, virtual.HorizonPassed, virtual.Standstill, virtual.Stuck) as endless:
        return f"the scenario does not end: {endless}"
    except (ClusterLost, UpstreamFailed) as dead:
        return str(dead)
    except KeyboardInterrupt:
        raise
    except BaseException as unexpected:  # SystemExit and the like would end the command with nothing judged
        return f"{type(unexpected).__name__}: {unexpected} ({failing_line(unexpected.__traceback__, file)})"
    return ""
