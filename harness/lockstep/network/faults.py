"""Faults: what a scenario can do to the traffic between the controllers and the API server.

A fault acts on requests and watch events, never on a controller, so it works with any implementation. Rules are tried
in the order in which they were made. The first active one that matches a request applies and counts a hit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from lockstep.apiserver.errors import ApiError
from lockstep.network.target import Target
from lockstep.time.clock import seconds

_REASONS = {
    400: "BadRequest",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


def status_object(code: int, message: str, reason: str | None = None) -> dict[str, Any]:
    """A failure `Status` as the API server words it."""
    return ApiError(code, reason or _REASONS.get(code, "InternalError"), message).status


@dataclass(slots=True, eq=False)
class Fault:
    """One rule. A field with the value None matches everything; `name` and `namespace` are globs.

    The first `skip` matching requests pass unharmed; the next `times` are hit (None: all, until `stop`).
    """

    verb: str | None = None
    resource: str | None = None
    subresource: str | None = ""
    namespace: str | None = None
    name: str | None = None
    actor: str | None = None
    times: int | None = 1
    skip: int = 0
    #: Seconds until the answer arrives.
    delay: float = 0.0
    #: Instant (seconds since the virtual epoch) before which no answer arrives: makes a jittered request exact.
    not_before: float = 0.0
    #: A failure Status to answer with, or None for the server's own answer.
    status: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    #: Whether a request that fails, or gets no answer, takes effect on the server nevertheless.
    effect: bool = False
    #: Break the connection instead of answering.
    broken: bool = False
    #: A resourceVersion: answer lists and watches from this old state of the collection.
    as_of: int | None = None
    #: Called when the fault hits, before anything else happens (crash points).
    on_hit: Callable[[Target], None] | None = None
    active: bool = True
    hits: int = 0

    def stop(self) -> None:
        """Hit no further requests."""
        self.active = False

    def due(self, now: int) -> int:
        """The instant at which the answer to a request made at `now` arrives."""
        return max(now + seconds(self.delay), seconds(self.not_before))

    def matches(self, target: Target, actor: str) -> bool:
        """Whether the fault may hit a request."""
        return (
            self.active
            and (self.verb is None or self.verb == target.verb)
            and (self.resource is None or self.resource == target.resource)
            and (self.subresource is None or self.subresource == target.subresource)
            and (self.actor is None or self.actor == actor)
            and (self.namespace is None or fnmatchcase(target.namespace, self.namespace))
            and (self.name is None or fnmatchcase(target.name, self.name))
        )


class Faults:
    """The faults of one run."""

    def __init__(self) -> None:
        #: In the order in which they are tried.
        self.rules: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        """Activate a rule, after those that exist."""
        self.rules.append(fault)
        return fault

    def hit(self, target: Target, actor: str) -> Fault | None:
        """The fault that hits this request, or None. Counts the hit."""
        for fault in self.rules:
            if not fault.matches(target, actor):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.hits += 1
            if fault.times is not None and fault.hits >= fault.times:
                fault.active = False
            return fault
        return None

    def clear(self) -> None:
        """End every fault."""
        for fault in self.rules:
            fault.stop()
        self.rules.clear()

    # -- the kinds of request faults ----------------------------------------------------------------------------------

    def error(self, code: int, *, message: str = "", retry_after: int | None = None, **match: Any) -> Fault:
        """Answer with an error `code` and no effect. `retry_after` seconds: the header that makes clients retry."""
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        status = status_object(code, message or _default_message(code))
        return self.add(Fault(status=status, headers=headers, **match))

    def timeout(self, *, after: float = 34.0, effect: bool = False, **match: Any) -> Fault:
        """The server gives up after `after` seconds (504 Timeout), with or without an effect of the request."""
        status = status_object(504, "Timeout: request did not complete within the allotted timeout", "Timeout")
        return self.add(Fault(status=status, delay=after, effect=effect, **match))

    def latency(self, delay: float, *, effect_first: bool = False, **match: Any) -> Fault:
        """The answer takes `delay` seconds; with `effect_first` the write happens at once, only its answer is late."""
        match.setdefault("times", None)
        return self.add(Fault(delay=delay, effect=effect_first, **match))

    def disconnect(self, *, effect: bool = False, **match: Any) -> Fault:
        """The connection breaks before an answer arrives; with `effect`, after the request was carried out."""
        return self.add(Fault(broken=True, effect=effect, **match))

    def hold_until(self, instant: float, **match: Any) -> Fault:
        """Answer matching requests at `instant` at the earliest: absorbs the jitter of client-go's back-off."""
        match.setdefault("times", None)
        return self.add(Fault(not_before=instant, **match))

    def stale(self, version: int, **match: Any) -> Fault:
        """Answer lists and watches from the collection's state at resourceVersion `version`: a lagging watch cache."""
        return self.add(Fault(as_of=version, **match))


def _default_message(code: int) -> str:
    return {
        409: "the object has been modified; please apply your changes to the latest version and try again",
        429: "the server has received too many requests and has asked us to try again later",
        500: "Internal error occurred: injected by the scenario",
        503: "the server is currently unable to handle the request",
    }.get(code, f"injected error {code}")
