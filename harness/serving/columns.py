"""Which columns a table has for which resource, and how a cell is made (pkg/printers/internalversion/printers.go).

The headers are kubectl's. A kind without columns of its own has NAME and AGE; a custom resource has the columns that
its definition names (apiextensions-apiserver/pkg/registry/customresource/tableconvertor).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.serving import cells
from harness.serving.ages import age
from harness.serving.paths import value_at
from harness.serving.pod_cells import pod_ready, pod_restarts, pod_status

Object = dict[str, Any]
Cell = Callable[[Object, int], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `wide`: shown by `-o wide` only. `type`: of OpenAPI."""

    name: str
    cell: Cell
    type: str = "string"
    wide: bool = False
    format: str = ""
    description: str = ""

    def definition(self) -> Object:
        """The TableColumnDefinition."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": int(self.wide),
        }


@dataclass(frozen=True)
class Columns:
    """The columns of one resource."""

    columns: Sequence[Column]

    @cached_property
    def definitions(self) -> list[Object]:
        """What heads a Table."""
        return [column.definition() for column in self.columns]

    def cells(self, one: Object, now: int) -> list[Any]:
        """One row."""
        return [column.cell(one, now) for column in self.columns]


def _at(path: str, default: Any = "") -> Cell:
    parts = tuple(path.split("."))

    def cell(one: Object, now: int) -> Any:
        found: Any = one
        for part in parts:
            found = found.get(part) if isinstance(found, dict) else None
        return default if found is None else found

    return cell


def _plain(read: Callable[[Object], Any]) -> Cell:
    return lambda one, _: read(one)


NAME = Column("Name", _at("metadata.name"), format="name")
AGE = Column("Age", lambda one, now: age((one.get("metadata") or {}).get("creationTimestamp"), now))
_DEFAULT = Columns((NAME, AGE))


def _text(path: str, absent: str) -> Cell:
    """A value as text, whatever its type."""
    found = _at(path, absent)

    def cell(one: Object, now: int) -> Any:
        return str(found(one, now))

    return cell


def _number(name: str, path: str) -> Column:
    return Column(name, _at(path, 0), "integer")


_CONTAINERS = Column("Containers", _plain(cells.container_names), wide=True)
_IMAGES = Column("Images", _plain(cells.images), wide=True)
_SELECTOR = Column("Selector", _plain(cells.selector), wide=True)
_NONE = "<none>"
_TABLES: Mapping[str, Columns] = {
    "pods": Columns(
        (
            NAME,
            Column("Ready", _plain(pod_ready)),
            Column("Status", _plain(pod_status)),
            Column("Restarts", pod_restarts),
            AGE,
            Column("IP", _at("status.podIP", _NONE), wide=True),
            Column("Node", _at("spec.nodeName", _NONE), wide=True),
            Column("Nominated Node", _at("status.nominatedNodeName", _NONE), wide=True),
            Column("Readiness Gates", _plain(cells.readiness_gates), wide=True),
        )
    ),
    "replicasets.apps": Columns(
        (
            NAME,
            _number("Desired", "spec.replicas"),
            _number("Current", "status.replicas"),
            _number("Ready", "status.readyReplicas"),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "replicationcontrollers": Columns(
        (
            NAME,
            _number("Desired", "spec.replicas"),
            _number("Current", "status.replicas"),
            _number("Ready", "status.readyReplicas"),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "deployments.apps": Columns(
        (
            NAME,
            Column("Ready", _plain(cells.ready_of_replicas)),
            _number("Up-to-date", "status.updatedReplicas"),
            _number("Available", "status.availableReplicas"),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "statefulsets.apps": Columns((NAME, Column("Ready", _plain(cells.ready_of_replicas)), AGE, _CONTAINERS, _IMAGES)),
    "daemonsets.apps": Columns(
        (
            NAME,
            _number("Desired", "status.desiredNumberScheduled"),
            _number("Current", "status.currentNumberScheduled"),
            _number("Ready", "status.numberReady"),
            _number("Up-to-date", "status.updatedNumberScheduled"),
            _number("Available", "status.numberAvailable"),
            Column("Node Selector", _plain(cells.node_selector)),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "jobs.batch": Columns(
        (
            NAME,
            Column("Status", _plain(cells.job_status)),
            Column("Completions", _plain(cells.job_completions)),
            Column("Duration", cells.job_duration),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "horizontalpodautoscalers.autoscaling": Columns(
        (
            NAME,
            Column("Reference", _plain(cells.hpa_reference)),
            Column("Targets", _plain(cells.hpa_targets)),
            Column("MinPods", _text("spec.minReplicas", "<unset>")),
            Column("MaxPods", _at("spec.maxReplicas")),
            Column("Replicas", _number("Replicas", "status.currentReplicas").cell),
            AGE,
        )
    ),
    "nodes": Columns(
        (
            NAME,
            Column("Status", _plain(cells.node_status)),
            Column("Roles", _plain(cells.node_roles)),
            AGE,
            Column("Version", _at("status.nodeInfo.kubeletVersion")),
            Column("Internal-IP", cells.node_address("InternalIP"), wide=True),
            Column("External-IP", cells.node_address("ExternalIP"), wide=True),
            Column("OS-Image", _at("status.nodeInfo.osImage", "<unknown>"), wide=True),
            Column("Kernel-Version", _at("status.nodeInfo.kernelVersion", "<unknown>"), wide=True),
            Column("Container-Runtime", _at("status.nodeInfo.containerRuntimeVersion", "<unknown>"), wide=True),
        )
    ),
    "events": Columns(
        (
            Column("Last Seen", cells.event_last_seen),
            Column("Type", _at("type")),
            Column("Reason", _at("reason")),
            Column("Object", _plain(cells.event_object)),
            Column("Subobject", _at("involvedObject.fieldPath"), wide=True),
            Column("Source", _plain(cells.event_source), wide=True),
            Column("Message", _plain(cells.event_message)),
            Column("First Seen", cells.event_first_seen, wide=True),
            Column("Count", _plain(cells.event_count), wide=True),
            Column("Name", _at("metadata.name"), format="name", wide=True),
        )
    ),
    "namespaces": Columns((NAME, Column("Status", _at("status.phase")), AGE)),
    "leases.coordination.k8s.io": Columns((NAME, Column("Holder", _at("spec.holderIdentity")), AGE)),
    "poddisruptionbudgets.policy": Columns(
        (
            NAME,
            Column("Min Available", _text("spec.minAvailable", "N/A")),
            Column("Max Unavailable", _text("spec.maxUnavailable", "N/A")),
            _number("Allowed Disruptions", "status.disruptionsAllowed"),
            AGE,
        )
    ),
}
_TYPES = frozenset({"integer", "number", "string", "boolean"})


def columns_of(resource: str, definition: Object | None, version: str) -> Columns:
    """The columns of `plural.group`; `definition` is the CustomResourceDefinition, None for other kinds."""
    if definition is None:
        return _TABLES.get("events" if resource == "events.events.k8s.io" else resource, _DEFAULT)
    for served in definition["spec"]["versions"]:
        if served["name"] == version and served.get("additionalPrinterColumns"):
            return Columns((NAME, *(_custom(column) for column in served["additionalPrinterColumns"])))
    return _DEFAULT


def _custom(column: Object) -> Column:
    path, is_date = column["jsonPath"], column.get("type") == "date"

    def cell(one: Object, now: int) -> Any:
        found = value_at(one, path)
        return age(found, now) if is_date and found else found

    kind = column.get("type") if column.get("type") in _TYPES else "string"
    return Column(column["name"], cell, kind or "string", bool(column.get("priority")))
