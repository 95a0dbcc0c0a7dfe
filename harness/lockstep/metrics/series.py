"""Series of custom and external metrics: the values that a scenario gives a metric, per pod or as one value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lockstep.metrics.curves import Curve
from lockstep.metrics.handles import Handle, MetricsError
from lockstep.metrics.quantities import thousandths
from lockstep.metrics.usage import Moment, PerReady, Usage, Value, made
from lockstep.metrics.views import Selection


class Series(Handle):
    """A metric with labels of its own. `window` in seconds, None for a metric that has none."""

    __slots__ = ("labels", "metric", "window")

    def __init__(
        self, now: Callable[[], int], metric: str, labels: Mapping[str, str] | None, window: int | None
    ) -> None:
        super().__init__(now)
        if not metric or "/" in metric:
            raise MetricsError(f"{metric!r} is not a metric name: it is part of a path, so it must not contain a slash")
        self.metric = metric
        self.labels = dict(labels or {})
        self.window = window


class PodSeries(Series):
    """A metric of pods."""

    __slots__ = ("selection", "usage")

    def __init__(
        self,
        now: Callable[[], int],
        metric: str,
        labels: Mapping[str, str] | None,
        window: int | None,
        selection: Selection,
        usage: Usage,
    ) -> None:
        super().__init__(now, metric, labels, window)
        self.selection = selection
        self.usage = usage


class PointSeries(Series):
    """A metric with one value: of an object, or of something outside the cluster (`resource` and `name` are "")."""

    __slots__ = ("name", "namespace", "resource", "text", "value")

    def __init__(
        self,
        now: Callable[[], int],
        metric: str,
        labels: Mapping[str, str] | None,
        window: int | None,
        value: Value,
        namespace: str,
        resource: str = "",
        name: str = "",
    ) -> None:
        super().__init__(now, metric, labels, window)
        #: The quantity as answers show it; "": it is made from `value`.
        self.text = value if isinstance(value, str) else ""
        self.value: Curve | PerReady | None = None if isinstance(value, str) else made(value)
        self.namespace = namespace
        self.resource = resource
        self.name = name

    def quantity(self, moment: Moment) -> str:
        """The value at a moment, as answers show it."""
        return self.text if self.value is None else thousandths(moment.of(self.value))
