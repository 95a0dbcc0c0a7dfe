"""Exact tables: what answers show for the first pod, the second, and so on, in canonical order. They bypass the
pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep.metrics.handles import Handle, MetricsError
from lockstep.metrics.views import Selection
from lockstep.time.clock import rfc3339, seconds
from lockstep.wire.gotime import format_duration

_WINDOW = 15.0


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table. Made by `row`."""

    usage: Any
    age: float | None = None
    at: float | None = None
    window: float | None = None


#: A quantity (as JSON: text, or any other value to be shown), quantities by container, or a row; None: no metrics.
RowLike = Row | Mapping[str, Any] | str | int | float | bool | None


def row(usage: Any, *, age: float | None = None, at: float | None = None, window: float | None = None) -> Row:
    """A row with its own time: `age` seconds before the answer, or `at` seconds after the scenario began."""
    if age is not None and at is not None:
        raise MetricsError("row(): give an age, or a fixed moment with at=, not both")
    return Row(usage, age, at, window)


class Table(Handle):
    """What a scenario sets for one resource, or one metric, of some pods."""

    __slots__ = ("age", "metric", "resource", "rest", "rows", "selection", "window")

    def __init__(
        self,
        now: Callable[[], int],
        selection: Selection,
        rows: Sequence[RowLike],
        rest: RowLike,
        about: tuple[str, str],
        age: float,
        window: float | None,
    ) -> None:
        super().__init__(now)
        self.selection = selection
        self.rows = [_row(one) for one in rows]
        self.rest = _row(rest)
        #: The resource, "" for a table about a metric, and the metric, "" for one about a resource.
        self.resource, self.metric = about
        self.age = age
        self.window = window

    def of(self, position: int) -> Row | None:
        """The row of the pod at a position; None if it has no metrics."""
        return self.rows[position] if position < len(self.rows) else self.rest

    def taken(self, found: Row, start: int, now: int) -> str:
        """The timestamp of a row."""
        if found.at is not None:
            return rfc3339(start + seconds(found.at))
        return rfc3339(now - seconds(self.age if found.age is None else found.age))

    def window_of(self, found: Row) -> float | None:
        """The window of a row in seconds, None if neither it nor the table has one."""
        return self.window if found.window is None else found.window


def _row(one: RowLike) -> Row | None:
    return one if one is None or isinstance(one, Row) else Row(one)


def pod_entry(tables: Sequence[tuple[Table, int]], first: str, start: int, now: int) -> dict[str, Any] | None:
    """The PodMetrics, without metadata, of a pod at a position of each of these tables; None if no row has a value.

    `first` is the container that plain values belong to.
    """
    usage: dict[str, dict[str, Any]] = {}
    entry: dict[str, Any] | None = None
    for table, position in tables:
        found = table.of(position)
        if found is None:
            continue
        if entry is None:
            window = table.window_of(found)
            shown = format_duration(seconds(_WINDOW if window is None else window))
            entry = {"timestamp": table.taken(found, start, now), "window": shown}
        by_container = found.usage if isinstance(found.usage, Mapping) else {first: found.usage}
        for container, amount in by_container.items():
            usage.setdefault(container, {})[table.resource] = amount
    if entry is not None:
        entry["containers"] = [{"name": name, "usage": amounts} for name, amounts in usage.items()]
    return entry
