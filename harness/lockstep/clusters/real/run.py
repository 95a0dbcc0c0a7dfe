"""The environments with a real API server: one scenario, one tenant, the clock of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from lockstep.apiserver import ApiServer
from lockstep.clusters.real.loop import RealLoop
from lockstep.clusters.real.obstacles import LONGEST
from lockstep.clusters.real.programs import INFORMERS, NAMES
from lockstep.clusters.real.remote import RemoteServer
from lockstep.clusters.real.session import RealSession
from lockstep.controllers.names import ACTORS, GROUPS, LISTENERS
from lockstep.environments.memory import WARM_UP, MemoryRun, RunResult, result_of
from lockstep.implementations import Implementation
from lockstep.implementations.upstream.errors import RunRefused
from lockstep.scenarios.declare import Scenario
from lockstep.serving.boxes import Inbox
from lockstep.time.clock import SECOND, seconds
from lockstep.trace.invariants.base import FRESH_CACHES, PROMPT_ANSWERS

#: Seconds that are added to the longest scenario for its start and its rests.
_MARGIN = 180.0
#: Seconds for the controllers to open their watches, and between two checks of that.
_START, _GLANCE = 30.0, 0.1
#: Seconds without any activity after which a scenario is over.
_LAST = 1.0


class RealRun(MemoryRun):
    """Like a run in memory, but with a real server and the machine's clock."""

    def __init__(self, session: RealSession, scenario: Scenario, implementation: Implementation, seed: int) -> None:
        self._session = session
        self._inbox = Inbox()
        self._starting = ExitStack()
        super().__init__(scenario, implementation, seed)
        self.network.broken_conditions |= {PROMPT_ANSWERS, FRESH_CACHES}

    def make_loop(self) -> RealLoop:
        """A loop on the machine's clock."""
        loop = RealLoop(self._inbox, self._session.gateways)
        loop.horizon = loop.now + seconds(LONGEST + _MARGIN)
        return loop

    def make_server(self, seed: int) -> ApiServer:
        """The tenant's view of the real server."""
        session, loop = self._session, self.loop
        assert isinstance(loop, RealLoop)
        actors = frozenset({INFORMERS, *(ACTORS[name] for name in self.scenario.controllers)})
        self.remote = server = RemoteServer(
            lambda: loop.now,
            session.connection,
            session.tenant(),
            self._inbox,
            session.workers,
            actors,
            self.scenario.options.feature_gates,
            aggregated=session.metrics is not None,
        )
        loop.last_news = lambda: server.last_news
        loop.busy = lambda: server.busy
        session.join(server)
        return server

    def define(self, definition: Mapping[str, Any]) -> None:
        """The session has added the definitions to the cluster; the mirror of their objects needs them here, too."""
        self.remote.learn(definition)

    async def warm_up(self) -> None:
        """Wait until all controllers watch, and then as long as in memory, because their own timers run from there."""
        deadline = self.loop.now + seconds(_START)
        await self.loop.world_sleep(0)
        if self.scenario.autostart:
            while not all(map(self._watches, self.scenario.controllers)) and self.loop.now < deadline:
                await self.loop.world_sleep(_GLANCE)
        self._starting.close()
        await self.loop.world_sleep(WARM_UP)
        assert isinstance(self.loop, RealLoop)
        self.loop.begin()
        self.loop.delayed = self._session.starts.report_delay

    async def play(self) -> None:
        """Play the scenario. After its last step, wait longer than between steps."""
        with self._starting:
            self._starting.enter_context(self._session.starts)
            await super().play()
        assert isinstance(self.loop, RealLoop)
        await self.loop.rest(_LAST)

    def _watches(self, controller: str) -> bool:
        """Whether a controller has opened a watch, itself or through the informers of its program."""
        actors = {ACTORS[controller]} | ({INFORMERS} if controller in NAMES else set())
        return bool(actors & self.remote.watchers)


def _refusal(session: RealSession, scenario: Scenario) -> str:
    """Why this cluster cannot run a scenario; "" if it can."""
    names = ", ".join(sorted(LISTENERS.intersection(scenario.controllers)))
    if names and session.door is None:
        return (
            f"{names}: this cluster cannot call a webhook on this machine; use --environment control-plane or kind, "
            "with Kubernetes 1.30 or newer"
        )
    if session.has_vpa and any(name in GROUPS["vpa"] for name in scenario.controllers):
        return (
            "the cluster has a VPA of its own, which would do the work of the one under test: delete its "
            "MutatingWebhookConfiguration and its Deployments, or use --environment control-plane"
        )
    return ""


def run_on_cluster(
    session: RealSession, scenario: Scenario, implementation: Implementation, seed: int = 0
) -> RunResult:
    """Run one scenario on a real cluster. Errors of the scenario or a controller are in the result, not raised."""
    runs: list[RealRun] = []

    def make() -> RealRun:
        if refusal := _refusal(session, scenario):
            raise RunRefused(refusal)
        runs.append(RealRun(session, scenario, implementation, seed))
        return runs[0]

    try:
        result = result_of(make)
        for run in runs:
            assert isinstance(run.loop, RealLoop)
            result.late = run.loop.late / SECOND
        return result
    finally:
        for run in runs:
            session.leave(run.remote)
