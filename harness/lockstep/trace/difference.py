"""A difference between two traces, and the result of a whole comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lockstep.trace.values import ABSENT, matches
from lockstep.trace.wording import show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lockstep.trace.model import Trace

#: The instant of differences in the final state.
END: Final = "end"
MISSING_WRITE: Final = "missing write"
EXTRA_WRITE: Final = "extra write"
MISSING_READ: Final = "missing read"
EXTRA_READ: Final = "extra read"
MISSING_EVENT: Final = "missing event"
EXTRA_EVENT: Final = "extra event"
CHANGED_FIELD: Final = "changed field"
FINAL_STATE: Final = "final state"
#: An assertion of the scenario fails. Only in the ledger, for a release that behaves differently.
FAILED_ASSERTION: Final = "failed assertion"
KINDS: Final = (
    MISSING_WRITE,
    EXTRA_WRITE,
    MISSING_READ,
    EXTRA_READ,
    MISSING_EVENT,
    EXTRA_EVENT,
    CHANGED_FIELD,
    FINAL_STATE,
    FAILED_ASSERTION,
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A value of the left side (expected) that the right side (got) lacks, or has differently; or the reverse."""

    #: Seconds since the start of the run, "12.345"; `END` for the final state.
    at: str
    #: One of `KINDS`.
    kind: str
    #: Resource and symbol: "pods web#1".
    object: str
    #: The field; "" if a whole write, event or object is missing or extra.
    path: str
    #: The values, or whole items with their number of occurrences; `ABSENT` if there is none.
    left: Any
    right: Any

    def line(self) -> str:
        """The difference on one line, the same in every run."""
        where = f"{self.object} {self.path}" if self.path else self.object
        return f"{moment(self.at)}: {self.kind}: {where}: {show(self.left)} -> {show(self.right)}"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far apart two numbers, or two times, may be at the paths that match a glob.

    The path `at` stands for the instants themselves: a window for behaviour that upstream delays by a random amount.
    """

    path: str
    #: In the field's own unit; seconds for times.
    within: float

    def __str__(self) -> str:
        return f"{self.path} ±{self.within:g}"

    def allows(self, path: str, left: Any, right: Any) -> bool:
        """Whether two values at a path count as equal."""
        if not matches(self.path, path):
            return False
        if isinstance(left, list) and isinstance(right, list):  # a value before and after
            return len(left) == len(right) and all(map(self._near, left, right))
        for one, other in ((left, right), (right, left)):
            if (
                one is ABSENT and isinstance(other, list) and len(other) == 2
            ):  # a change within the tolerance, on one side only
                return self._near(*other)
        return self._near(left, right)

    def _near(self, left: Any, right: Any) -> bool:
        one, other = _number(left), _number(right)
        if one is None or other is None:
            return bool(left == right)
        return abs(one - other) <= self.within + 1e-9


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences between two traces, by instant. Without any, the right one conforms."""

    differences: Sequence[Difference]
    left: Trace
    right: Trace
    tolerance: Sequence[Tolerance] = ()


def moment(at: str) -> str:
    """An instant of a trace in words."""
    if at == END:
        return "at the end"
    return f"at {at} s" if at.startswith("-") else f"at +{at} s"


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and value[:1] in ("+", "-"):
        try:
            return float(value)
        except ValueError:
            return None
    return None
