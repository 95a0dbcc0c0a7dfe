"""Metrics of pods in the custom API: measured values, tables that replace them, and edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep.apiserver.selectors import label_selector
from lockstep.metrics.edits import PodEdit
from lockstep.metrics.handles import Handles
from lockstep.metrics.measuring import Measurements
from lockstep.metrics.positions import Positions
from lockstep.metrics.quantities import thousandths
from lockstep.metrics.tables import Table
from lockstep.metrics.views import PodView
from lockstep.time.clock import rfc3339

Entry = dict[str, Any]


class PodsMetrics:
    """Builds entries as v1beta2."""

    def __init__(self, measurements: Measurements, tables: Handles[Table], edits: Handles[PodEdit]) -> None:
        self._measurements = measurements
        self._tables = tables
        self._edits = edits

    def names(self) -> list[str]:
        """Names of all metrics with a value now."""
        now = self._measurements.now()
        in_tables = [one.metric for one in self._tables.holding(now) if one.metric]
        return list(dict.fromkeys([*(one.metric for one in self._measurements.series.holding(now)), *in_tables]))

    def known(self, metric: str) -> bool:
        """Whether there is such a metric."""
        now = self._measurements.now()
        return self._measurements.series.any_about(metric, now) or self._tables.any_about(("", metric), now)

    def entries(self, metric: str, pods: Sequence[PodView], metric_labels: str = "") -> list[Entry]:
        """The values of those of the pods that have any, of the series that `metric_labels` select."""
        now = self._measurements.now()
        tables = self._tables.about(("", metric), now)
        edits = [one for one in self._edits.holding(now) if one.metric == metric] if self._edits else []
        identifier = {"name": metric, "selector": label_selector(metric_labels)}
        measured = self._measured(metric, pods, identifier, metric_labels)
        if not tables and not edits:
            return list(measured.values())
        positions = Positions(self._measurements.pods)
        entries = []
        for pod in pods:
            entry: Any = self._from_tables(tables, pod, positions, identifier) if pod.running else None
            if entry is None and not any(one.selection.matches(pod) for one in tables):
                entry = measured.get(pod.uid)
            for edit in edits:
                if entry is not None and positions.concerns(edit, pod):
                    entry = edit.apply(pod.uid, entry)
            if entry is not None:
                entries.append(entry)
        return entries

    def _from_tables(
        self, tables: Sequence[Table], pod: PodView, positions: Positions, identifier: Entry
    ) -> Entry | None:
        """The row for the pod in the latest table about it."""
        table = next((one for one in reversed(tables) if one.selection.matches(pod)), None)
        row = None if table is None else table.of(positions.of(table.selection, pod))
        if table is None or row is None:
            return None
        taken = table.taken(row, self._measurements.rhythm.start, self._measurements.now())
        window = table.window_of(row)
        return entry_of(reference(pod), identifier, taken, None if window is None else int(window), row.usage)

    def _measured(
        self, metric: str, pods: Sequence[PodView], identifier: Entry, metric_labels: str
    ) -> dict[str, Entry]:
        """By uid, in the order of the pods."""
        totals = self._measurements.values(metric).of(metric_labels)
        if not totals:
            return {}
        taken = rfc3339(self._measurements.measured())
        entries = {}
        for pod in pods:
            found = totals.get(pod.uid)
            if found is not None and pod.starts:
                value, window = found
                entries[pod.uid] = entry_of(reference(pod), identifier, taken, window, thousandths(value))
        return entries


def reference(pod: PodView) -> dict[str, str]:
    """A pod as adapters name it: group, slash and version make the `apiVersion` (provider/helpers, ReferenceFor)."""
    return {"kind": "Pod", "namespace": pod.namespace, "name": pod.name, "apiVersion": "/v1"}


def entry_of(described: dict[str, str], identifier: Entry, taken: str, window: int | None, value: Any) -> Entry:
    """A MetricValue of v1beta2. `window` in seconds, None if the metric has none."""
    entry: Entry = {"describedObject": described, "metric": identifier, "timestamp": taken}
    if window is not None:
        entry["windowSeconds"] = window
    entry["value"] = value
    return entry
