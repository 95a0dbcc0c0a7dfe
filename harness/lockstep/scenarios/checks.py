"""Explicit assertions of a scenario, counted: a scenario that asserted nothing is not green.

An assertion that fails is recorded and the scenario continues. So one run shows all failures, and its trace can be
compared to the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.scenarios.location import calling_line

#: How many failed assertions a report shows.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """One failed assertion. `at`: seconds since the scenario began; `where`: file and line of the call."""

    what: str
    wanted: Any
    actual: Any
    at: float
    message: str
    where: str = ""

    def __str__(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{self.what}: {self.message} (at +{self.at:.3f} s{where})"


class Checks:
    """Counts assertions and keeps those that fail."""

    def __init__(self) -> None:
        self.evaluated = 0
        self.failed: list[FailedCheck] = []

    def equal(self, what: str, actual: Any, wanted: Any, at: float) -> None:
        """`actual` must equal `wanted`."""
        self.evaluated += 1
        if actual != wanted:
            message = f"expected {wanted!r}, got {actual!r}"
            self.failed.append(FailedCheck(what, wanted, actual, at, message, calling_line()))

    def true(self, what: str, holds: object, at: float, otherwise: str = "does not hold") -> None:
        """`holds` must be true; `otherwise` is the message if it is not."""
        self.evaluated += 1
        if not holds:
            self.failed.append(FailedCheck(what, True, False, at, otherwise, calling_line()))


def describe(failed: list[FailedCheck]) -> str:
    """The failed assertions, a line each; "" if there are none."""
    lines = [str(check) for check in failed[:_SHOWN]]
    if len(failed) > _SHOWN:
        lines.append(f"... and {len(failed) - _SHOWN} more failed assertions")
    return "\n".join(lines)
