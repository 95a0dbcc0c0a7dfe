"""Events: what a controller tells users it did.

Upstream: client-go tools/record/event.go. Recording never blocks: one task correlates events in order and sends them,
so they arrive after the writes that they speak of, and one that cannot reach the server holds up those behind it.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import uuid
from collections import deque
from typing import TYPE_CHECKING, Any

from lockstep.wire.gotime import EPOCH_NS, rfc3339
from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.event_correlator import Correlated, Event, EventCorrelator
from lockstep_reference.machinery.wakeup import Wakeup

if TYPE_CHECKING:
    from lockstep_reference.machinery.transport import Clock

log = logging.getLogger(__name__)

_MAX_QUEUED = 1000
_MAX_TRIES = 12
_SLEEP = 10.0  # seconds between tries
_NOT_FOUND = 404
_MAX_NAME = 253
_DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


class EventBroadcaster:
    """Sends events to the server, one at a time and in order."""

    def __init__(self, client: Client, clock: Clock, rng: random.Random | None = None) -> None:
        self._events = client.resource("events", "v1")
        self._clock = clock
        self._rng = rng or random.Random(0)
        self._correlator = EventCorrelator(clock)
        self._queue: deque[Event] = deque()
        self._filled = Wakeup()
        self._started = False

    def new_recorder(self, component: str) -> Recorder:
        """A recorder whose events come from `component`."""
        return Recorder(self, component, self._clock, self._rng)

    def start(self, group: asyncio.TaskGroup) -> None:
        """Send from now on, as a task of `group` (StartRecordingToSink). What was recorded before is lost."""
        self._started = True
        group.create_task(self._run())

    def offer(self, event: Event) -> None:
        """Queue an event; dropped when a thousand wait already.

        Upstream says nothing about that: its warning of too many queued events is for the queue in front of this one,
        which hands everything on at once (watch/mux.go, Broadcaster.distribute with DropIfChannelFull).
        """
        if self._started and len(self._queue) < _MAX_QUEUED:
            self._queue.append(event)
            self._filled.wake()

    async def _run(self) -> None:
        while True:
            while self._queue:
                correlated = self._correlator.correlate(self._queue.popleft())
                if correlated is not None:
                    await self._record_to_sink(correlated)
            await self._filled.sleep()

    async def _record_to_sink(self, correlated: Correlated) -> None:
        """Send, and again after 10 s as long as the connection fails, 12 times in all (recordToSink, recordEvent)."""
        for tries in range(1, _MAX_TRIES + 1):
            try:
                self._correlator.update_state(await self._send(correlated))
            except ApiError as error:
                log.info("server rejected event (will not retry): %s", error)
            except ConnectionError as error:
                log.info("unable to write event, may retry after sleeping: %s", error)
                if tries < _MAX_TRIES:
                    # The first pause is a random part of it, so that not everyone comes back at once.
                    await asyncio.sleep(_SLEEP * self._rng.random() if tries == 1 else _SLEEP)
                continue
            return
        log.error("unable to write event %s: retry limit exceeded", correlated.event["metadata"]["name"])

    async def _send(self, correlated: Correlated) -> Event:
        """Patch an event that was sent before, unless it is gone by now; create it otherwise."""
        event, patch = correlated.event, correlated.patch
        metadata = event["metadata"]
        if patch is not None:
            try:
                return await self._events.patch(metadata["namespace"], metadata["name"], patch)
            except ApiError as error:
                if error.status != _NOT_FOUND:
                    raise
        fresh = {key: value for key, value in metadata.items() if key != "resourceVersion"}
        return await self._events.create(metadata["namespace"], {**event, "metadata": fresh})


class Recorder:
    """Records events of one component (recorderImpl)."""

    def __init__(self, broadcaster: EventBroadcaster, component: str, clock: Clock, rng: random.Random) -> None:
        self._broadcaster = broadcaster
        self._component = component
        self._clock = clock
        self._rng = rng

    def event(self, obj: dict[str, Any], event_type: str, reason: str, message: str) -> None:
        """Record an event about `obj`; `event_type` is "Normal" or "Warning", all else is refused with a log line."""
        if event_type not in ("Normal", "Warning"):
            log.error("unsupported event type %r: use Normal or Warning", event_type)
            return
        self._broadcaster.offer(self._make(_reference(obj), event_type, reason, message))

    def _make(self, involved: dict[str, str], event_type: str, reason: str, message: str) -> Event:
        """The event as it is sent, without empty fields (makeEvent, generateEvent)."""
        now = self._clock.now()
        stamp = rfc3339(now)
        name = involved.get("name", "")
        event: Event = {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {"name": self._name(name, now), "namespace": involved.get("namespace") or "default"},
            "involvedObject": involved,
            "reason": reason,
            "source": {"component": self._component},
            "firstTimestamp": stamp,
            "lastTimestamp": stamp,
            "count": 1,
            "type": event_type,
            "eventTime": None,
            "reportingComponent": self._component,
            "reportingInstance": "",
        }
        if message:
            event["message"] = message
        return event

    def _name(self, name: str, now: int) -> str:
        """`name` and the Unix time in hexadecimal nanoseconds; a UUID if that is no valid name (GenerateEventName)."""
        full = f"{name}.{EPOCH_NS + now:x}"
        if len(full) <= _MAX_NAME and _DNS_SUBDOMAIN.fullmatch(full):
            return full
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))


def _reference(obj: dict[str, Any]) -> dict[str, str]:
    """The ObjectReference of an object, without empty fields (tools/reference/ref.go, GetReference)."""
    metadata = obj["metadata"]
    fields = {
        "kind": obj.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "uid": metadata.get("uid"),
        "apiVersion": obj.get("apiVersion"),
        "resourceVersion": metadata.get("resourceVersion"),
    }
    return {key: value for key, value in fields.items() if value}
