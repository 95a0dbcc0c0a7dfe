"""The simulated cluster behind the HTTP front: API server, world and reference controllers, in its own thread."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lockstep.apiserver import ApiServer, Request
from lockstep.apiserver.webhooks.reviews import Outcome, Review
from lockstep.controllers.names import ACTORS, WEBHOOK_SERVICES
from lockstep.controllers.options import Options
from lockstep.implementations import Controllers
from lockstep.implementations.reference import Reference
from lockstep.metrics import Metrics
from lockstep.network import Network
from lockstep.network.webhooks import Webhooks
from lockstep.objects.definitions import definitions_for
from lockstep.serving import ServeError
from lockstep.serving.api import ServedApi
from lockstep.serving.boxes import Inbox, Job
from lockstep.serving.clocks import ManualClock, clock_of
from lockstep.serving.heartbeats import Heartbeats
from lockstep.serving.pods import PodBehaviour
from lockstep.serving.served_loop import ServedLoop
from lockstep.serving.snapshot import load_snapshot
from lockstep.time import loop as virtual
from lockstep.time.clock import SECOND
from lockstep.world import World

_LOG = logging.getLogger("lockstep.serve")
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#: Seconds of real time between two compactions, as kube-apiserver has etcd do it (--etcd-compaction-interval).
COMPACTION_INTERVAL = 300.0
_OUTSIDE = "calls to URLs outside the simulated cluster are not made; name a Service"


#: Parts of the world that can be left out, for a cluster in which a real component does their work.
ACTORS_OF_THE_WORLD = ("garbage-collector", "namespaces", "disruption")


@dataclass(frozen=True, slots=True)
class Setup:
    """What is in the cluster.

    `clock`: one of `clocks.CLOCKS`. `kubelet`: whether there are nodes, kubelets, a scheduler and a garbage collector.
    `controllers`: those of the reference. `owners`: resources that simulated owners act for. `snapshot`: objects.
    `pods`: usage and lifecycles of pods (see `pods`). `without`: those of `ACTORS_OF_THE_WORLD` that do not act.
    """

    clock: str = "real"
    kubelet: bool = True
    controllers: Sequence[str] = ()
    owners: Sequence[str] = ()
    snapshot: Sequence[dict[str, Any]] = ()
    seed: int = 0
    pods: dict[str, Any] | None = None
    without: Sequence[str] = ()


class Simulation:
    """One simulated cluster. `start` it, `post` jobs to it, `stop` it; everything else runs on its thread."""

    def __init__(self, setup: Setup, on_failure: Callable[[str], object]) -> None:
        self.setup = setup
        self._on_failure = on_failure
        self.inbox = Inbox()
        self.clock = clock_of(setup.clock, self.inbox)
        self.loop = ServedLoop(self.clock)
        self.loop.now = self.clock.start()
        self.server: ApiServer = ServedApi(lambda: self.loop.now, setup.seed)
        for definition in definitions_for(setup.controllers):
            self.server.handle(Request("POST", _DEFINITIONS, body=definition))
        self.network = Network(self.loop, self.server, random.Random(setup.seed) if setup.seed else None)
        self.webhooks = Webhooks(self.network)
        self.behaviour: PodBehaviour
        self._stopping: asyncio.Future[None] = self.loop.create_future()
        self._ready = threading.Event()
        self._failure = ""
        self._version_before = 0
        self._thread = threading.Thread(target=self._run, name="lockstep-simulation", daemon=True)

    def start(self) -> None:
        """Start, and return when the cluster can be used. Raises ServeError if it cannot be made."""
        self._thread.start()
        self._ready.wait()
        if self._failure:
            raise ServeError(self._failure)

    def stop(self) -> None:
        """End everything and wait for the end; may be called twice."""
        self.inbox.put(self._stop)
        self._thread.join()

    def post(self, job: Job) -> None:
        """Any thread: run `job` on the simulation's thread, when all actors are parked."""
        self.inbox.put(job)

    def submit(self, request: Request, answer: Callable[[Any], None], dead: Callable[[], bool]) -> None:
        """Any thread: submit a request; `answer` is called on the simulation's thread."""
        self.post(lambda: self.network.submit(request, answer, dead))

    def move(self, duration: float, reached: Callable[[], object]) -> bool:
        """Any thread: let `duration` seconds pass, then call `reached`. False if the clock cannot be moved by hand."""
        clock = self.clock
        if not isinstance(clock, ManualClock):
            return False
        self.post(lambda: clock.move(round(duration * SECOND), reached))
        return True

    def compact(self) -> None:
        """Any thread: forget the versions that were old at the last call, as etcd's compactor does."""
        self.post(self._compact)

    def _compact(self) -> None:
        for collection in self.server.state.collections.values():
            collection.compact(self._version_before)
        self._version_before = self.server.resource_version

    def _stop(self) -> None:
        if not self._stopping.done():
            self._stopping.set_result(None)

    # -- on the simulation's thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            virtual.run(self.loop, self._main())
        except Exception as error:
            if not isinstance(error, ServeError):
                _LOG.exception("the simulation ended")
            self._fail(str(error) or type(error).__name__)
        finally:
            self._ready.set()

    def _fail(self, why: str) -> None:
        self._failure = self._failure or why
        if self._ready.is_set():
            self._on_failure(self._failure)

    async def _main(self) -> None:
        load_snapshot(self.server, self.setup.snapshot)
        world = self._make_world()
        self.behaviour = self._make_behaviour(world)
        controllers = Reference().attach(self.loop, self.network, Options(), self.setup.seed)
        self._let_webhooks_be_reached(controllers)
        for name in self.setup.controllers:
            controllers.start(name)
        if world is not None:
            _manage(world, self.setup.owners)
        self._ready.set()
        try:
            await self._stopping
        finally:
            controllers.end()
            self.server.close_watches()
            self._check_up_on(controllers)

    def _make_world(self) -> World | None:
        if not self.setup.kubelet:
            return None
        world = World(self.loop, self.server, seed=self.setup.seed)
        if "replicaset" in self.setup.controllers:
            world.owners.under_test = frozenset({"ReplicaSet"})
        _leave_out(world, self.setup.without)
        world.start()
        if self.setup.clock == "real":
            Heartbeats(self.loop, self.server, world).start()
        return world

    def _make_behaviour(self, world: World | None) -> PodBehaviour:
        metrics = Metrics(self.server, world.memory.add if world is not None else None)
        metrics.begin()
        behaviour = PodBehaviour(metrics, world)
        if self.setup.pods is not None:
            behaviour.apply(self.setup.pods)
        return behaviour

    def _let_webhooks_be_reached(self, controllers: Controllers) -> None:
        for name, (namespace, service) in WEBHOOK_SERVICES.items():
            if name in self.setup.controllers:
                callee = partial(controllers.serve, name, "POST")
                self.webhooks.serve(namespace, service, callee, ACTORS[name])
        self.server.ask_webhook = self._ask

    def _ask(self, review: Review, answer: Callable[[Outcome], None]) -> None:
        if review.service[0]:
            self.webhooks.ask(review, answer)
        else:
            answer(Outcome(broken=_OUTSIDE))

    def _check_up_on(self, controllers: Controllers) -> None:
        if controllers.failure:
            self._fail(controllers.failure)


def _leave_out(world: World, names: Sequence[str]) -> None:
    for name in names:
        if name not in ACTORS_OF_THE_WORLD:
            raise ServeError(f"the world has no {name!r} to leave out, only {', '.join(ACTORS_OF_THE_WORLD)}")
    world.garbage_collector.enabled = "garbage-collector" not in names
    world.namespaces.enabled = "namespaces" not in names
    world.disruption.enabled = "disruption" not in names


def _manage(world: World, owners: Sequence[str]) -> None:
    try:
        world.owners.manage(*owners)
    except ValueError as problem:
        raise ServeError(str(problem)) from problem
