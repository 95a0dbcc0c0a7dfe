"""The metrics that an HPA asks for, and what they are made of (pkg/controller/podautoscaler/metrics).

Values are milli-units in an int64, instants nanoseconds since 2000-01-01T00:00:00Z, windows nanoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from lockstep.wire.selectors import Selector

__all__ = ["MetricsClient", "MetricsError", "PodMetric", "PodMetricsInfo"]


class MetricsError(Exception):
    """Metrics could not be had, or nothing can be computed from them; `str()` is upstream's text."""


class PodMetric(NamedTuple):
    """What one pod uses (PodMetric): `value` in milli-units over the `window` that ended at `timestamp`."""

    timestamp: int
    window: int
    value: int


#: Metrics by pod name. The calculator takes pods out and puts pods in: every call gets its own (PodMetricsInfo).
PodMetricsInfo = dict[str, PodMetric]


class MetricsClient(Protocol):
    """Asks the three metrics APIs (MetricsClient). Every method raises MetricsError with upstream's text."""

    async def get_resource_metric(
        self, resource: str, namespace: str, selector: Selector, container: str
    ) -> tuple[PodMetricsInfo, int]:
        """Usage of `resource` by pod (of one container, or of all for ""), and the first timestamp."""

    async def get_raw_metric(
        self, metric_name: str, namespace: str, selector: Selector, metric_selector: Selector
    ) -> tuple[PodMetricsInfo, int]:
        """A custom metric of pods, by pod, and the first timestamp."""

    async def get_object_metric(
        self, metric_name: str, namespace: str, object_ref: dict[str, Any], metric_selector: Selector
    ) -> tuple[int, int]:
        """A custom metric of the object that a CrossVersionObjectReference names, and its timestamp."""

    async def get_external_metric(self, metric_name: str, namespace: str, selector: Selector) -> tuple[list[int], int]:
        """The values of all series of an external metric that match, and the first timestamp."""
