"""Symbols: names for objects that mean the same in every run of a scenario.

Names with a random suffix, uids, resource versions and absolute times differ between two runs that behave alike. Here

- an object whose name was generated becomes `<owner>#<k>`: the k-th instant at which that owner got objects of that
  resource. All objects that were created together share one symbol: they differ only by name, and which of several
  equal ones upstream picks depends on the order of a Go map;
- an object whose name was chosen keeps it; a namesake made after it (same name, new uid) gets `name'`, then `name''`;
- a uid becomes `uid(<symbol>)`; an absolute time becomes seconds since the start of the run, `+12.5`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lockstep.time.clock import SECOND, parse_rfc3339
from lockstep.trace.unordered import steady
from lockstep.wire.meta import controller_of, uid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lockstep.trace.history import Write

#: An absolute time, or a run of characters that a name or a uid may consist of. The run is as long as possible, so a
#: name never matches the beginning of a longer one.
_TOKEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?")
_DROPPED = frozenset({"resourceVersion", "managedFields", "selfLink"})
_MILLISECOND = SECOND // 1000


def milliseconds(instant: int) -> int:
    """An instant to the nearest millisecond, the resolution at which traces are compared."""
    return (instant + _MILLISECOND // 2) // _MILLISECOND


def clock_text(span: int) -> str:
    """A span in milliseconds as seconds with three decimals, as a trace writes its instants."""
    whole, rest = divmod(abs(span), 1000)
    return f"{'-' if span < 0 else ''}{whole}.{rest:03d}"


def relative(span: int) -> str:
    """A span in nanoseconds as signed seconds, to the millisecond, without trailing zeros: `+12`, `-0.5`."""
    whole, rest = divmod(abs(milliseconds(span)), 1000)
    fraction = f".{rest:03d}".rstrip("0") if rest else ""
    return f"{'-' if span < 0 and (whole or rest) else '+'}{whole}{fraction}"


def qualified(namespace: str, symbol: str) -> str:
    """A symbol with its namespace, unless that is `default` or there is none."""
    return symbol if namespace in ("", "default") else f"{namespace}/{symbol}"


class Symbols:
    """The symbols of one run, built write by write in the order of the history."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._by_uid: dict[str, str] = {}
        self._times: dict[str, str] = {}
        self._latest: dict[tuple[str, str, str], str] = {}  # (resource, namespace, name): symbol
        self._namesakes: dict[tuple[str, str, str], int] = {}
        self._batches: dict[tuple[str, str], tuple[int, int]] = {}  # (owner, resource): (last instant, k)
        self._tokens: dict[str, str] = {}  # generated names and uids: what replaces them in free text

    def learn(self, write: Write) -> None:
        """Add the object that a write created."""
        if write.before is not None or write.after is None:
            return
        identity = uid(write.after)
        if identity in self._by_uid:
            return
        place = (write.resource, write.namespace, write.name)
        if _name_was_generated(write):
            symbol = self._next_of_batch(write)
            self._tokens[write.name] = symbol
        else:
            count = self._namesakes[place] = self._namesakes.get(place, 0) + 1
            symbol = qualified(write.namespace, write.name + "'" * (count - 1))
        self._latest[place] = symbol
        self._by_uid[identity] = symbol
        self._tokens[identity] = f"uid({symbol})"

    def _next_of_batch(self, write: Write) -> str:
        owner = self.owner(write.after or {}) or qualified(write.namespace, _prefix(write.after or {}))
        instant = milliseconds(write.at - self._start)
        last, k = self._batches.get((owner, write.resource), (-1, 0))
        if instant != last:
            k += 1
            self._batches[owner, write.resource] = (instant, k)
        return f"{owner}#{k}"

    def owner(self, obj: Mapping[str, Any]) -> str:
        """The symbol of the object's controller; "" if it has none."""
        reference = controller_of(obj)
        if reference is None:
            return ""
        return self._by_uid.get(str(reference.get("uid", "")), str(reference.get("name", "")))

    def learn_refused(self, write: Write) -> None:
        """Add the name that was generated for an object that was never created."""
        body = write.body if isinstance(write.body, dict) else {}
        metadata = body.get("metadata") or {}
        if write.verb == "create" and write.name and metadata.get("generateName") and not metadata.get("name"):
            self._tokens[write.name] = self._refused(body, write.namespace)

    def _refused(self, body: Mapping[str, Any], namespace: str) -> str:
        return f"{self.owner(body) or qualified(namespace, _prefix(body))}#?"

    def of(self, write: Write) -> str:
        """The symbol of the object that a write is about. `<owner>#?`: it was never created."""
        known = write.before or write.after
        if known is not None and uid(known) in self._by_uid:
            return self._by_uid[uid(known)]
        if write.name:
            return self.of_place(write.resource, write.namespace, write.name)
        return self._refused(write.body if isinstance(write.body, dict) else {}, write.namespace)

    def of_place(self, resource: str, namespace: str, name: str) -> str:
        """The symbol of the object that has this name, or had it last."""
        known = self._latest.get((resource, namespace, name))
        return known or qualified(namespace, self.text(name))

    def of_object(self, obj: Mapping[str, Any]) -> str:
        """The symbol of a stored object."""
        return self._by_uid.get(uid(obj)) or self.of_name(obj.get("metadata", {}))

    def of_name(self, reference: Mapping[str, Any]) -> str:
        """The symbol of the object with this `uid`, or else with this `namespace` and `name`."""
        known = self._by_uid.get(str(reference.get("uid", "")))
        return known or qualified(str(reference.get("namespace", "")), self.text(str(reference.get("name", ""))))

    def text(self, text: str) -> str:
        """Free text with generated names, uids, absolute times and what depends on the order of a map replaced."""
        return steady(_TOKEN.sub(self._replace, text))

    def _replace(self, found: re.Match[str]) -> str:
        token = found.group()
        known = self._tokens.get(token)
        if known is not None:
            return known
        if "T" in token:
            return self.since_start(token)
        if "." in token:  # a name with a suffix after a dot, such as that of an event
            return ".".join(self._tokens.get(part, part) for part in token.split("."))
        return token

    def since_start(self, timestamp: str) -> str:
        """An RFC 3339 time as seconds since the start of the run; any other text as it is."""
        known = self._times.get(timestamp)
        if known is None:
            try:
                known = relative(parse_rfc3339(timestamp) - self._start)
            except ValueError:
                known = timestamp
            self._times[timestamp] = known
        return known

    def value(self, value: Any) -> Any:
        """A JSON value with each string as in `text`, each key that is a name or a uid as its symbol, no versions."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            tokens = self._tokens
            return {tokens.get(key, key): self.value(item) for key, item in value.items() if key not in _DROPPED}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return value


def _name_was_generated(write: Write) -> bool:
    metadata = (write.after or {}).get("metadata", {})
    sent = write.body.get("metadata") or {} if isinstance(write.body, dict) else {}
    return bool(metadata.get("generateName")) and not sent.get("name")


def _prefix(body: Mapping[str, Any]) -> str:
    """The part of a generated name before its random suffix, for an object without an owner."""
    return str((body.get("metadata") or {}).get("generateName") or "").rstrip("-")
