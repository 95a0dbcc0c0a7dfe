"""One run: its facts, one row for each scenario, and whether the run is green.

A run is green only if at least one scenario was judged, every selected one got a verdict and made an assertion, and
every verdict is `pass` or `divergent`. An unknown verdict is never green.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from lockstep.runs.config import RunConfig
from lockstep.runs.outcome import GREEN, VERDICTS, Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario's outcome without its objects, so that it can pass between processes as plain JSON."""

    id: str
    controller: str
    verdict: str
    assertions: int
    writes_compared: int
    virtual_seconds: float
    wall_seconds: float
    divergences: tuple[str, ...] = ()
    #: The argument that selects the scenario on a command line.
    selector: str = ""

    @classmethod
    def of(cls, outcome: Outcome) -> Row:
        """The row of an outcome; times are rounded to a meaningful precision."""
        return cls(
            id=outcome.scenario.id,
            controller=outcome.scenario.controller,
            verdict=outcome.verdict,
            assertions=outcome.assertions,
            writes_compared=outcome.writes_compared,
            virtual_seconds=round(outcome.virtual_seconds, 3),
            wall_seconds=round(outcome.wall_seconds, 4),
            divergences=tuple(outcome.divergences),
            selector=outcome.scenario.selector,
        )

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Row:
        """The row from the values of `to_wire`."""
        return cls(**{**wire, "divergences": tuple(wire.get("divergences", ()))})

    def to_wire(self) -> dict[str, Any]:
        """The row as JSON values, divergences included."""
        return {**asdict(self), "divergences": list(self.divergences)}

    @property
    def judged(self) -> bool:
        """Whether the verdict is about the controller, which requires at least one assertion."""
        return self.verdict == "fail" or (self.verdict in GREEN and self.assertions > 0)

    @property
    def flaw(self) -> str:
        """Why this row keeps the run from being green; "" if it does not."""
        if self.verdict not in GREEN:
            return self.verdict
        return "" if self.assertions > 0 else "asserted nothing"


class Session:
    """The rows of one run. `selected` is how many scenarios were to run; None: unknown."""

    def __init__(self, config: RunConfig, selected: int | None = None) -> None:
        self.config = config
        self.selected = selected
        self._rows: dict[str, Row] = {}

    def add(self, row: Row) -> None:
        """Add one scenario's row. A second row for the same scenario replaces the first."""
        self._rows[row.id] = row

    @property
    def rows(self) -> list[Row]:
        """All rows, sorted by scenario id."""
        return [self._rows[key] for key in sorted(self._rows)]

    @property
    def controllers(self) -> list[str]:
        """The controllers of the rows, sorted."""
        return sorted({row.controller for row in self._rows.values()})

    def rows_of(self, controller: str) -> list[Row]:
        """The rows of one controller, sorted by scenario id."""
        return [row for row in self.rows if row.controller == controller]

    @property
    def judged(self) -> int:
        """How many scenarios got a verdict about the controller."""
        return sum(row.judged for row in self._rows.values())

    def reasons(self) -> list[str]:
        """Why the run is not green, one line each; empty if it is."""
        found = [] if self.judged else ["nothing was judged"]
        missing = (self.selected or 0) - len(self._rows)
        if missing > 0:
            found.append(f"{plural(missing, 'scenario')} of {self.selected} did not run")
        for flaw, noun in (
            ("fail", "failed"),
            ("error", "ended in an error"),
            ("unsupported", "could not be held"),
            ("asserted nothing", "asserted nothing"),
        ):
            count = sum(row.flaw == flaw for row in self._rows.values())
            if count:
                found.append(f"{plural(count, 'scenario')} {noun}")
        unknown = sorted({row.verdict for row in self._rows.values()} - set(VERDICTS))
        found.extend(f"unknown verdict {verdict!r}" for verdict in unknown)
        return found

    @property
    def green(self) -> bool:
        """Whether the run is complete and found nothing wrong."""
        return not self.reasons()

    @property
    def to_repeat(self) -> list[str]:
        """Ids of the scenarios that keep the run from being green."""
        return [row.id for row in self.rows if row.flaw]

    @property
    def selectors(self) -> list[str]:
        """The arguments that select these scenarios on a command line."""
        return [row.selector or row.id for row in self.rows if row.flaw]


def plural(count: int, noun: str) -> str:
    """The count with its noun: "1 scenario", "2,000 scenarios"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
