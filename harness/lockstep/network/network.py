"""The network: requests are queued and answered one by one, when every controller is parked."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lockstep.apiserver import Reply, Request, Watch
from lockstep.apiserver.messages import JSON_HEADERS
from lockstep.network.faults import Fault, Faults
from lockstep.network.relay import Relay
from lockstep.network.target import Target, target_of
from lockstep.time.clock import seconds
from lockstep.trace.history import Write
from lockstep.trace.invariants.base import FRESH_CACHES, PROMPT_ANSWERS

if TYPE_CHECKING:
    from lockstep.apiserver import ApiServer
    from lockstep.time.loop import VirtualLoop


@dataclass(frozen=True, slots=True)
class Broken:
    """The connection broke before an answer arrived."""

    reason: str = "connection reset by peer"


Answer = Callable[["Reply | Broken"], None]


class Network:
    """Carries requests and watches of the controllers under test, with the faults that the scenario has set.

    With a `rng`, the next pending request is drawn at random: every order is one that real concurrency could produce.
    """

    def __init__(self, loop: VirtualLoop, server: ApiServer, rng: random.Random | None = None) -> None:
        self.loop = loop
        self.server = server
        self.faults = Faults()
        self.lag: dict[str, float] = {}
        self.held: set[str] = set()
        self._grids: dict[tuple[str, str, str], int] = {}
        #: Other servers than the API server, by the `resource` of the requests that they answer (see `Target`).
        self.others: dict[str, Callable[[Request], Reply]] = {}
        #: Called for each read of a scale, which shows that an HPA synced (see `History.record_read`).
        self.scale_observers: list[Callable[[int, str, str, str, str, str], None]] = []
        #: Conditions of `lockstep.trace.invariants.base` that this run has broken.
        self.broken_conditions: set[str] = set()
        self._rng = rng
        self._pending: deque[tuple[Request, Answer, Callable[[], bool]]] = deque()
        self._deliveries: deque[Callable[[], None]] = deque()
        self._relays: list[Relay] = []
        loop.serve_request = self.serve_next
        loop.deliver_event = self.deliver_next
        loop.requests_wait = lambda: bool(self._pending or self._deliveries)

    # -- requests -----------------------------------------------------------------------------------------------------

    def submit(self, request: Request, answer: Answer, dead: Callable[[], bool]) -> None:
        """Queue a request. `answer` is called once, when its turn has come and the delays of its faults are over.

        A request whose sender is `dead` by then never reaches the server.
        """
        self._pending.append((request, answer, dead))

    def deliver(self, delivery: Callable[[], None]) -> None:
        """Queue the arrival of watch events. Deliveries go before requests, each when every controller is parked."""
        self._deliveries.append(delivery)

    def deliver_next(self) -> bool:
        """Make one delivery. False when there is none."""
        if not self._deliveries:
            return False
        self._deliveries.popleft()()
        return True

    def serve_next(self) -> bool:
        """Make one delivery, or else answer one pending request. False when there is neither."""
        if self.deliver_next():
            return True
        pending = self._pending
        if not pending:
            return False
        if self._rng is not None and len(pending) > 1:
            pending.rotate(-self._rng.randrange(len(pending)))
        request, answer, dead = pending.popleft()
        if not dead():
            self.dispatch(request, answer)
        return True

    def absorb_jitter(self, grid: float, *, verb: str, resource: str, subresource: str = "") -> None:
        """From now on, carry out such requests at whole multiples of `grid` seconds only.

        How long client-go waits before it repeats a refused write is partly random. If `grid` is longer than the
        jitter, the repeated write, and all that follows from it, is at exact instants again.
        """
        self._grids[verb, resource, subresource] = seconds(grid)

    def dispatch(self, request: Request, answer: Answer) -> None:
        """Carry out a request whose turn has come."""
        target = target_of(request)
        grid = self._grids.get((target.verb, target.resource, target.subresource)) if self._grids else None
        if grid is not None and self.loop.now % grid:
            self.broken_conditions.add(PROMPT_ANSWERS)
            later = self.loop.now - self.loop.now % grid + grid
            self.loop.world_at(later, lambda: self._carry_out(request, answer, target))
        else:
            self._carry_out(request, answer, target)

    def _carry_out(self, request: Request, answer: Answer, target: Target) -> None:
        if target.subresource == "scale" and target.verb == "get":
            for observe in self.scale_observers:
                observe(self.loop.now, request.actor, target.resource, "scale", target.namespace, target.name)
        fault = self.faults.hit(target, request.actor) if self.faults.rules else None
        if fault is None:
            self._handle(request, target, answer)
            return
        self.broken_conditions.add(PROMPT_ANSWERS if fault.as_of is None else FRESH_CACHES)
        if fault.on_hit is not None:
            fault.on_hit(target)
        self._dispatch_faulty(request, answer, target, fault)

    def _dispatch_faulty(self, request: Request, answer: Answer, target: Target, fault: Fault) -> None:
        request.as_of = fault.as_of
        fails = fault.status is not None or fault.broken
        due = fault.due(self.loop.now)

        def conclude(early: Reply | None) -> None:
            if fault.broken:
                answer(Broken())
            elif fault.status is not None:
                answer(Reply(fault.status["code"], fault.status, headers={**JSON_HEADERS, **fault.headers}))
            elif early is not None:
                answer(early)
            else:
                self._handle(request, target, answer)

        def wait(early: Reply | None) -> None:
            if due > self.loop.now:
                self.loop.world_at(due, lambda: conclude(early))
            else:
                conclude(early)

        if fault.effect:
            self._handle(request, target, wait)
        else:
            wait(None)
        if fails and not fault.effect:
            self._observe_refused(request, target, fault)

    def _observe_refused(self, request: Request, target: Target, fault: Fault) -> None:
        """Record a write that a fault kept from the server: it belongs to the history, too."""
        if target.verb in ("get", "list", "watch"):
            return
        status = fault.status or {"code": 0, "reason": "ConnectionBroken", "message": "connection broken"}
        write = Write(
            at=self.loop.now,
            actor=request.actor,
            verb=target.verb,
            resource=target.resource,
            subresource=target.subresource,
            namespace=target.namespace,
            name=target.name,
            code=status["code"],
            reason=status["reason"],
            before=None,
            after=None,
            body=request.body,
            message=status["message"],
        )
        for observe in self.server.observers:
            observe(write)

    def _handle(self, request: Request, target: Target, answer: Callable[[Reply], None]) -> None:
        """Let the server answer: now, unless webhooks have to be called first."""
        if target.verb == "create" and target.resource == "events":
            request.body = self._with_free_name(request.body, target.namespace)
        other = self.others.get(target.resource)
        if other is not None:
            answer(other(request))
            return

        def conclude(reply: Reply) -> None:
            answer(reply if reply.watch is None else self._relayed(reply, reply.watch, target))

        reply = self.server.handle(request)
        if reply.review is not None:
            self.server.follow_up(request, reply, conclude)
        elif reply.watch is None:
            answer(reply)
        else:
            conclude(reply)

    def _relayed(self, reply: Reply, watch: Watch, target: Target) -> Reply:
        lag, held = self.lag.get(target.resource, 0.0), target.resource in self.held
        relay = Relay(self.loop, watch, target.resource, lag=lag, held=held, rng=self._rng)
        self._relays = [other for other in self._relays if not other.closed]
        self._relays.append(relay)
        return Reply(reply.status, reply.body, watch=relay, headers=reply.headers)

    def _with_free_name(self, event: Any, namespace: str) -> Any:
        """An event under a name that is not taken.

        client-go names events by the nanosecond. On a real clock no two events of one object get the same name. On a
        virtual clock all those of one instant do, and the server would refuse all but the first.
        """
        metadata = event.get("metadata") or {} if isinstance(event, dict) else {}
        name, number = metadata.get("name"), 0
        if not name:
            return event
        free = name
        while self.server.find("events", namespace, free) is not None:
            number += 1
            free = f"{name}.{number}"
        return event if free == name else {**event, "metadata": {**metadata, "name": free}}

    # -- watches ------------------------------------------------------------------------------------------------------

    def relays(self, resource: str) -> list[Relay]:
        """The open watches of a collection."""
        return [relay for relay in self._relays if relay.resource == resource and not relay.closed]

    def set_lag(self, resource: str, lag: float) -> None:
        """Events of `resource` arrive `lag` seconds late from now on, on open and on new watches."""
        if lag:
            self.broken_conditions.add(FRESH_CACHES)
        self.lag[resource] = lag
        for relay in self.relays(resource):
            relay.lag = lag

    def drop(self, resource: str) -> None:
        """End the open watches of a collection; events in flight are lost to them."""
        self.broken_conditions.add(FRESH_CACHES)
        for relay in self.relays(resource):
            relay.drop()

    def expire(self, resource: str) -> None:
        """End the open watches of a collection with 410 Gone: their version has been compacted away."""
        self.broken_conditions.add(FRESH_CACHES)
        self.server.compact(resource)
        for relay in self.relays(resource):
            relay.gone()

    def hold(self, resource: str) -> None:
        """Keep back all events of `resource` until `release`."""
        self.broken_conditions.add(FRESH_CACHES)
        self.held.add(resource)
        for relay in self.relays(resource):
            relay.hold()

    def release(self, resource: str) -> None:
        """Deliver the events that were kept back."""
        self.held.discard(resource)
        for relay in self.relays(resource):
            relay.release()
