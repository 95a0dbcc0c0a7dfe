"""`custom.metrics.k8s.io`, answered as by an adapter that is built on custom-metrics-apiserver.

Documents are built as v1beta2 (k8s.io/metrics/pkg/apis/custom_metrics) and converted for v1beta1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lockstep.apiserver import errors
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Request
from lockstep.apiserver.routing import Place
from lockstep.apiserver.selectors import label_selector, object_matcher, parse_labels
from lockstep.metrics.groups import CUSTOM
from lockstep.metrics.handles import Handles
from lockstep.metrics.measuring import Measurements
from lockstep.metrics.pods_metrics import Entry, PodsMetrics, entry_of
from lockstep.metrics.quantities import thousandths
from lockstep.metrics.series import PointSeries
from lockstep.metrics.views import PodView
from lockstep.time.clock import rfc3339
from lockstep.wire.quantity import parse_quantity

if TYPE_CHECKING:
    from lockstep.apiserver.state import State


class CustomApi:
    """Metrics of pods and of other objects."""

    def __init__(
        self, state: State, measurements: Measurements, objects: Handles[PointSeries], pods_metrics: PodsMetrics
    ) -> None:
        self._state = state
        self._measurements = measurements
        self._objects = objects
        self._pods_metrics = pods_metrics

    # -- discovery ----------------------------------------------------------------------------------------------------

    def resources(self) -> list[dict[str, Any]]:
        """See `Backend`."""
        now = self._measurements.now()
        known = {("pods", metric): True for metric in self._pods_metrics.names()}
        for one in self._objects.holding(now):
            kind = self._state.registry.of_resource(one.resource)
            known[one.resource, one.metric] = kind is not None and kind.namespaced
        return [
            {
                "name": f"{resource}/{metric}",
                "singularName": "",
                "namespaced": namespaced,
                "kind": "MetricValueList",
                "verbs": ["get"],
            }
            for (resource, metric), namespaced in sorted(known.items())
        ]

    # -- answers ------------------------------------------------------------------------------------------------------

    def answer(self, request: Request, place: Place) -> dict[str, Any]:
        """See `Backend`."""
        question = _Question(request, place)
        of_pods = question.resource == "pods" and question.namespace
        items = self._of_pods(question) if of_pods else list(self._of_objects(question))
        if question.name != "*" and not items:
            raise question.not_found()
        if place.version == "v1beta1":
            items = [_converted(item) for item in items]
        api_version = f"{CUSTOM}/{place.version}"
        return {"kind": "MetricValueList", "apiVersion": api_version, "metadata": {}, "items": items}

    def _of_pods(self, question: _Question) -> list[Entry]:
        if not self._pods_metrics.known(question.metric):
            raise question.not_found()
        pods: Sequence[PodView] = self._measurements.pods.select(question.namespace, question.labels)
        if question.name != "*":
            pods = [pod for pod in pods if pod.name == question.name]
        return self._pods_metrics.entries(question.metric, pods, question.metric_labels)

    def _of_objects(self, question: _Question) -> Iterator[Entry]:
        key = (question.resource, question.metric, question.namespace)
        holding = self._objects.about(key, self._measurements.now())
        if not holding:
            raise question.not_found()
        kind = self._state.registry.of_resource(question.resource)
        assert kind is not None  # `Metrics.object` has looked
        names = dict.fromkeys(sorted(one.name for one in holding))
        for name in names if question.name == "*" else (question.name,):
            if question.name == "*" and not self._selected(kind, question, name):
                continue
            selected = parse_labels(question.metric_labels)
            series = [one for one in holding if one.name == name and selected.matches(one.labels)]
            if series:
                yield self._point(kind, question, name, series)

    def _selected(self, kind: Kind, question: _Question, name: str) -> bool:
        stored = self._state.collection(kind.collection).get(question.namespace if kind.namespaced else "", name)
        matches = object_matcher(kind, question.labels, "")
        return stored is not None and (matches is None or matches(stored.object))

    def _point(self, kind: Kind, question: _Question, name: str, series: Sequence[PointSeries]) -> Entry:
        moment = self._measurements.present()
        texts = [one.quantity(moment) for one in series]
        value = texts[0] if len(texts) == 1 else thousandths(sum(float(parse_quantity(text).exact()) for text in texts))
        place = {"namespace": question.namespace} if question.namespace else {}
        described = {"kind": kind.kind, **place, "name": name, "apiVersion": f"{kind.group}/{kind.version}"}
        identifier = {"name": question.metric, "selector": label_selector(question.metric_labels)}
        return entry_of(described, identifier, rfc3339(moment.instant), series[0].window, value)


class _Question:
    """What a path and its query ask for (registry/custom_metrics/reststorage.go, REST.List)."""

    def __init__(self, request: Request, place: Place) -> None:
        self.labels = request.query.get("labelSelector", "")
        self.metric_labels = request.query.get("metricLabelSelector", "")
        self.namespace = place.namespace
        if place.plural == "metrics" and place.in_namespace and place.name and not place.subresource:
            # the metrics of a namespace are found in that namespace
            self.resource, self.name, self.metric, self.namespace = "namespaces", place.namespace, place.name, ""
        elif place.subresource:
            self.resource, self.name, self.metric = place.plural, place.name, place.subresource
        else:
            raise errors.unknown_path()

    def not_found(self) -> ApiError:
        """There is no such metric (provider/errors.go)."""
        text = f"the server could not find the metric {self.metric} for {self.resource}"
        if self.name == "*":
            return ApiError(404, "NotFound", text)
        return ApiError(404, "NotFound", f"{text} {self.name}")


def _converted(item: Any) -> Any:
    """The item as v1beta1. What an edit changed in other parts stays."""
    if not isinstance(item, dict):
        return item
    shown = {key: value for key, value in item.items() if key not in ("metric", "windowSeconds")}
    metric = item.get("metric")
    if isinstance(metric, dict):
        shown["metricName"], shown["selector"] = metric.get("name"), metric.get("selector")
    if "windowSeconds" in item:
        shown["window"] = item["windowSeconds"]
    return shown
