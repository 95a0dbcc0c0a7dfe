"""`external.metrics.k8s.io`, answered as by an adapter that is built on custom-metrics-apiserver."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.messages import Request
from lockstep.apiserver.routing import Place
from lockstep.apiserver.selectors import parse_labels
from lockstep.metrics.groups import EXTERNAL
from lockstep.metrics.handles import Handles
from lockstep.metrics.measuring import Measurements
from lockstep.metrics.series import PointSeries
from lockstep.time.clock import rfc3339


class ExternalApi:
    """Series of metrics that belong to no object."""

    def __init__(self, measurements: Measurements, series: Handles[PointSeries]) -> None:
        self._measurements = measurements
        self._series = series

    def resources(self) -> list[dict[str, Any]]:
        """See `Backend`."""
        names = sorted({one.metric for one in self._series.holding(self._measurements.now())})
        entry = {"singularName": "", "namespaced": True, "kind": "ExternalMetricValueList", "verbs": ["get"]}
        return [{"name": name, **entry} for name in names]

    def answer(self, request: Request, place: Place) -> dict[str, Any]:
        """See `Backend`. An unknown metric is 404 Not Found; a metric without matching series gives an empty list."""
        if not place.in_namespace or place.name:
            raise errors.unknown_path()
        now, metric = self._measurements.now(), place.plural
        holding = self._series.about(metric, now)
        if not holding:
            raise ApiError(404, "NotFound", f"the server could not find the metric {metric} for namespaces")
        selected = parse_labels(request.query.get("labelSelector", ""))
        moment = self._measurements.present()
        items = []
        for one in holding:
            if one.namespace == place.namespace and selected.matches(one.labels):
                item: dict[str, Any] = {"metricName": metric, "metricLabels": one.labels, "timestamp": rfc3339(now)}
                if one.window is not None:
                    item["window"] = one.window
                items.append({**item, "value": one.quantity(moment)})
        api_version = f"{EXTERNAL}/{place.version}"
        return {"kind": "ExternalMetricValueList", "apiVersion": api_version, "metadata": {}, "items": items}
