"""Reads that show a controller at work even if it wrote nothing: an HPA sync begins by reading a scale.

A trace keeps them by object, as periodic runs (`trace.periods`). Renewals of a Lease, which change only its time, are
kept in the same way, as `/renewal`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lockstep.time.clock import SECOND, parse_rfc3339
from lockstep.trace.difference import EXTRA_READ, MISSING_READ, Difference
from lockstep.trace.periods import Runs, fold, unfold
from lockstep.trace.symbols import clock_text, milliseconds
from lockstep.trace.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lockstep.trace.history import Read, Write
    from lockstep.trace.symbols import Symbols

_LEASES = "leases.coordination.k8s.io"
_RENEWAL = "/renewal"


class Reads:
    """Collects the reads of a run."""

    def __init__(self, symbols: Symbols, start: int) -> None:
        self._symbols = symbols
        self._start = start
        self._times: dict[str, list[int]] = {}

    def take(self, read: Read) -> None:
        """Add a read. `Symbols` must know the writes before it, and none after it."""
        symbol = self._symbols.of_place(read.resource, read.namespace, read.name)
        self._add(f"{read.resource}/{read.subresource} {symbol}", read.at)

    def take_renewal(self, write: Write) -> None:
        """Add the renewal of a Lease."""
        self._add(f"{write.resource}{_RENEWAL} {self._symbols.of(write)}", write.at)

    def _add(self, label: str, at: int) -> None:
        self._times.setdefault(label, []).append(milliseconds(at - self._start))

    def runs(self) -> dict[str, Runs]:
        """All of them, as a trace keeps them."""
        return {label: fold(times) for label, times in sorted(self._times.items())}


def is_renewal(write: Write) -> bool:
    """Whether a write only renews a Lease for its holder, with the present time."""
    if write.resource != _LEASES or write.failed or write.before is None or write.after is None:
        return False
    before, after = write.before["spec"], write.after["spec"]
    if {**before, "renewTime": None} != {**after, "renewTime": None}:
        return False
    return abs(parse_rfc3339(after["renewTime"]) - write.at) < SECOND


def differences(left: Mapping[str, Runs], right: Mapping[str, Runs], window: float = 0.0) -> Iterator[Difference]:
    """Reads that only one side has, object by object. With a `window`, two reads match if they are at most that many
    seconds apart.
    """
    for label in sorted(left.keys() | right.keys()):
        ours, theirs = left.get(label, []), right.get(label, [])
        if ours != theirs:
            yield from _unequal(label, Counter(unfold(ours)), Counter(unfold(theirs)), round(window * 1000))


def _unequal(label: str, ours: Counter[int], theirs: Counter[int], window: int) -> Iterator[Difference]:
    missing, extra = ours - theirs, theirs - ours
    if window:
        _pair(missing, extra, window)
    for kind, rest in ((MISSING_READ, missing), (EXTRA_READ, extra)):
        for at in sorted(rest):
            yield Difference(clock_text(at), kind, label, "", _item(label, ours[at]), _item(label, theirs[at]))


def _pair(missing: Counter[int], extra: Counter[int], window: int) -> None:
    """Remove reads that are at most `window` apart from both, the earliest first."""
    for at in sorted(missing):
        for other in sorted(extra):
            both = min(missing[at], extra[other]) if abs(other - at) <= window else 0
            missing[at] -= both
            extra[other] -= both
    for rest in (missing, extra):
        for at in [at for at, number in rest.items() if not number]:
            del rest[at]


def _item(label: str, times: int) -> Any:
    resource, _, symbol = label.partition(" ")
    verb = "update" if resource.endswith(_RENEWAL) else "get"
    item = {"verb": verb, "resource": resource, "object": symbol}
    return ABSENT if not times else item if times == 1 else {**item, "times": times}
