"""`metrics.k8s.io`, answered as by metrics-server (pkg/api/pod.go, node.go; pkg/storage)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lockstep.apiserver import errors
from lockstep.apiserver.messages import Request
from lockstep.apiserver.routing import Place
from lockstep.apiserver.selectors import object_matcher
from lockstep.metrics.edits import PodEdit
from lockstep.metrics.groups import RESOURCE
from lockstep.metrics.handles import Handles
from lockstep.metrics.loads import Sample
from lockstep.metrics.measuring import Measurements
from lockstep.metrics.positions import Positions
from lockstep.metrics.quantities import cores, pages
from lockstep.metrics.tables import Table, pod_entry
from lockstep.metrics.views import PodView
from lockstep.time.clock import rfc3339
from lockstep.wire.gotime import format_duration

if TYPE_CHECKING:
    from lockstep.apiserver.state import State

Entry = dict[str, Any]
_API_VERSION = f"{RESOURCE}/v1beta1"


class ResourceApi:
    """CPU and memory of pods and nodes."""

    def __init__(
        self, state: State, measurements: Measurements, tables: Handles[Table], edits: Handles[PodEdit]
    ) -> None:
        self._state = state
        self._measurements = measurements
        self._tables = tables
        self._edits = edits

    def resources(self) -> list[dict[str, Any]]:
        """See `Backend`."""
        verbs = ["get", "list"]
        return [
            {"name": "nodes", "singularName": "node", "namespaced": False, "kind": "NodeMetrics", "verbs": verbs},
            {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": verbs},
        ]

    def answer(self, request: Request, place: Place) -> dict[str, Any]:
        """See `Backend`."""
        if place.subresource:
            raise errors.unknown_path()
        if place.plural == "pods" and (place.in_namespace or not place.name):
            return self._pod(place) if place.name else self._pod_list(place.namespace, request.query)
        if place.plural == "nodes" and not place.in_namespace:
            return self._node(place.name) if place.name else self._node_list(request.query)
        raise errors.unknown_path()

    # -- pods ---------------------------------------------------------------------------------------------------------

    def _pod_list(self, namespace: str, query: Mapping[str, str]) -> dict[str, Any]:
        pods: Sequence[PodView] = self._measurements.pods.select(namespace, query.get("labelSelector", ""))
        fields = query.get("fieldSelector", "")
        if fields:
            pods = [pod for pod in pods if self._matches("pods", fields, pod.pod)]
        return _listed("PodMetricsList", self.entries(pods))

    def _pod(self, place: Place) -> dict[str, Any]:
        found = next(
            (pod for pod in self._measurements.pods.select(place.namespace, "") if pod.name == place.name), None
        )
        if found is None or not found.running:
            raise errors.not_found("", "pods", place.name)
        entry = next(iter(self.entries([found])), None)
        if entry is None:
            raise errors.not_found(RESOURCE, "podmetrics", f"{place.namespace}/{place.name}")
        return {"kind": "PodMetrics", "apiVersion": _API_VERSION, **entry}

    def entries(self, pods: Sequence[PodView]) -> list[Entry]:
        """The PodMetrics of the pods that have metrics."""
        now = self._measurements.now()
        sample = self._measurements.sample()
        tables = [one for one in self._tables.holding(now) if one.resource] if self._tables else []
        edits = [one for one in self._edits.holding(now) if not one.metric] if self._edits else []
        if not tables and not edits:
            return _plain(pods, sample, rfc3339(now))
        positions = Positions(self._measurements.pods)
        shown = [(pod, self._entry(pod, sample, tables, positions)) for pod in pods if pod.running]
        for edit in edits:
            shown = [
                (pod, edit.apply(pod.uid, entry) if entry is not None and positions.concerns(edit, pod) else entry)
                for pod, entry in shown
            ]
        return [entry for _, entry in shown if entry is not None]

    def _entry(self, pod: PodView, sample: Sample, tables: Sequence[Table], positions: Positions) -> Entry | None:
        concerned = [(one, positions.of(one.selection, pod)) for one in tables if one.selection.matches(pod)]
        if concerned:
            start, now = self._measurements.rhythm.start, self._measurements.now()
            entry = pod_entry(concerned, pod.first, start, now)
            return None if entry is None else {"metadata": _metadata(pod, rfc3339(now)), **entry}
        return next(iter(_plain([pod], sample, rfc3339(self._measurements.now()))), None)

    # -- nodes --------------------------------------------------------------------------------------------------------

    def _node_list(self, query: Mapping[str, str]) -> dict[str, Any]:
        labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
        nodes = [stored.object for stored in self._state.collection("nodes").sorted_items()]
        chosen = [node for node in nodes if self._matches("nodes", fields, node, labels)]
        return _listed("NodeMetricsList", [self._node_entry(node) for node in chosen])

    def _node(self, name: str) -> dict[str, Any]:
        stored = self._state.collection("nodes").get("", name)
        if stored is None:
            raise errors.not_found("", "nodes", name)
        return {"kind": "NodeMetrics", "apiVersion": _API_VERSION, **self._node_entry(stored.object)}

    def _node_entry(self, node: Entry) -> Entry:
        """The NodeMetrics of a node: the sum of its pods' usage, as far as loads give it."""
        measurements, name = self._measurements, node["metadata"]["name"]
        sample = measurements.sample()
        pods = (pod for pod in measurements.pods.select("", "") if pod.node == name)
        used = [sample[pod.uid] for pod in pods if pod.uid in sample]
        measured = measurements.measured()
        window = measurements.rhythm.window
        if window is None:
            window = measured - measurements.rhythm.before(measured)
        metadata: Entry = {"name": name, "creationTimestamp": rfc3339(measurements.now())}
        if node["metadata"].get("labels"):
            metadata["labels"] = node["metadata"]["labels"]
        usage = {"cpu": cores(sum(one.cpu for one in used)), "memory": pages(sum(one.memory for one in used))}
        return {"metadata": metadata, "timestamp": rfc3339(measured), "window": format_duration(window), "usage": usage}

    def _matches(self, plural: str, fields: str, one: Entry, labels: str = "") -> bool:
        kind = self._state.registry.of_resource(plural)
        assert kind is not None
        matches = object_matcher(kind, labels, fields)
        return matches is None or matches(one)


def _plain(pods: Sequence[PodView], sample: Sample, created: str) -> list[Entry]:
    """The entries of the pods that are in the sample and still run. Every sync of an HPA needs this, so it has to be
    fast.
    """
    find = sample.get
    return [
        {
            "metadata": _metadata(pod, created),
            "timestamp": usage.timestamp,
            "window": usage.window,
            "containers": usage.containers,
        }
        for pod in pods
        if (usage := find(pod.uid)) is not None and pod.starts
    ]


def _metadata(pod: PodView, created: str) -> Entry:
    if pod.labels:
        return {"name": pod.name, "namespace": pod.namespace, "creationTimestamp": created, "labels": pod.labels}
    return {"name": pod.name, "namespace": pod.namespace, "creationTimestamp": created}


def _listed(kind: str, items: list[Any]) -> dict[str, Any]:
    return {"kind": kind, "apiVersion": _API_VERSION, "metadata": {}, "items": items}
