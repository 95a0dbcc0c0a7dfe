"""Keeps events from flooding the server: combines similar ones, counts repeated ones, drops what is too much.

Upstream: client-go tools/record/events_cache.go. Events are dicts in wire form.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lockstep.wire.gotime import EPOCH_NS, SECOND, rfc3339
from lockstep_reference.machinery.ratelimit import TokenBucket

if TYPE_CHECKING:
    from lockstep_reference.machinery.transport import Clock

Event = dict[str, Any]
V = TypeVar("V")

_CACHE_SIZE = 4096
_AGGREGATE_MAX_EVENTS = 10
_AGGREGATE_INTERVAL = 600 * SECOND
_SPAM_BURST = 25
#: One event in five minutes, as upstream's 32-bit float holds it.
_SPAM_QPS: float = unpack("f", pack("f", 1 / 300))[0]


class _Lru(Generic[V]):
    """A map of the entries used last (k8s.io/utils/lru)."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, V] = OrderedDict()

    def get(self, key: str) -> V | None:
        if key in self._entries:
            self._entries.move_to_end(key)
        return self._entries.get(key)

    def put(self, key: str, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > _CACHE_SIZE:
            self._entries.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Log:
    """What is known of an event that was sent before."""

    count: int
    first_timestamp: Any
    name: str
    resource_version: str


@dataclass(slots=True)
class _Group:
    """Similar events; `messages` holds at most ten different texts."""

    messages: dict[str, None]
    last: int


@dataclass(frozen=True, slots=True)
class Correlated:
    """What to send: `patch` the event of that name if it was sent before (its `count` exceeds 1), else create it."""

    event: Event
    patch: dict[str, Any] | None


class EventCorrelator:
    """EventCorrelator with its default options."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._groups: _Lru[_Group] = _Lru()
        self._logs: _Lru[_Log] = _Lru()
        self._buckets: _Lru[TokenBucket] = _Lru()

    def correlate(self, event: Event) -> Correlated | None:
        """What to send for `event`, or None to send nothing (EventCorrelate)."""
        origin = _origin(event)
        aggregated, key = self._aggregate(event, origin)
        observed, patch = self._observe(aggregated, key)
        return None if self._is_spam(origin) else Correlated(observed, patch)

    def update_state(self, event: Event) -> None:
        """The server has stored this (eventLogger.updateState)."""
        self._record(_event_key(event, _origin(event)), event)

    def _aggregate(self, event: Event, origin: str) -> tuple[Event, str]:
        """From the tenth different message within ten minutes on, one combined event stands for all (EventAggregate).

        Returns the event to send and the key under which its repetitions are counted.
        """
        now = self._clock.now()
        key = _aggregate_key(event, origin)
        group = self._groups.get(key)
        if group is None or now - group.last > _AGGREGATE_INTERVAL:
            group = _Group({}, now)
        group.messages.setdefault(event.get("message") or "")
        group.last = now
        self._groups.put(key, group)
        if len(group.messages) < _AGGREGATE_MAX_EVENTS:
            return event, _event_key(event, origin)
        del group.messages[next(iter(group.messages))]  # upstream forgets any one of them
        stamp = rfc3339(now)
        involved = event["involvedObject"]
        combined = {
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": {
                "name": f"{involved.get('name', '')}.{EPOCH_NS + now:x}",
                "namespace": event["metadata"]["namespace"],
            },
            "involvedObject": involved,
            "reason": event["reason"],
            "message": f"(combined from similar events): {event.get('message') or ''}",
            "source": event["source"],
            "firstTimestamp": stamp,
            "lastTimestamp": stamp,
            "count": 1,
            "type": event["type"],
            "eventTime": None,
            "reportingComponent": "",
            "reportingInstance": "",
        }
        return combined, key

    def _observe(self, event: Event, key: str) -> tuple[Event, dict[str, Any] | None]:
        """Count a repetition, and say how to patch the first occurrence (eventObserve)."""
        log = self._logs.get(key)
        patch = None
        if log is not None and log.count > 0:
            metadata = {**event["metadata"], "name": log.name}
            if log.resource_version:
                metadata["resourceVersion"] = log.resource_version
            event = {**event, "metadata": metadata, "firstTimestamp": log.first_timestamp, "count": log.count + 1}
            patch = {"count": event["count"], "lastTimestamp": event["lastTimestamp"]}
            if event.get("message"):
                patch["message"] = event["message"]
        self._record(key, event)
        return event, patch

    def _record(self, key: str, event: Event) -> None:
        metadata = event["metadata"]
        version = metadata.get("resourceVersion") or ""
        self._logs.put(key, _Log(event.get("count") or 0, event.get("firstTimestamp"), metadata["name"], version))

    def _is_spam(self, key: str) -> bool:
        """25 events per source and object in a burst, then one in five minutes (EventSourceObjectSpamFilter)."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = TokenBucket(_SPAM_QPS, _SPAM_BURST, self._clock)
        self._buckets.put(key, bucket)
        return not bucket.allow()


def _origin(event: Event) -> str:
    """Source, involved object and type, run together: what shares one budget of events (getSpamKey)."""
    source, involved = event.get("source") or {}, event["involvedObject"]
    return _join(
        source.get("component"),
        source.get("host"),
        involved.get("kind"),
        involved.get("namespace"),
        involved.get("name"),
        involved.get("uid"),
        involved.get("apiVersion"),
        event.get("type"),
    )


def _event_key(event: Event, origin: str) -> str:
    """What makes two events the same (getEventKey)."""
    return _join(origin, event.get("reason"), event.get("message"), event["involvedObject"].get("fieldPath"))


def _aggregate_key(event: Event, origin: str) -> str:
    """What makes two events similar (EventAggregatorByReasonFunc)."""
    return _join(origin, event.get("reason"), event.get("reportingComponent"), event.get("reportingInstance"))


def _join(*parts: str | None) -> str:
    return "".join([part or "" for part in parts])
