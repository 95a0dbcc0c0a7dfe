"""The columns of each resource's table, and how to make their cells (pkg/printers/internalversion/printers.go).

The headers are kubectl's. A kind without its own columns has NAME and AGE; a custom resource has the columns that
its definition names (apiextensions-apiserver/pkg/registry/customresource/tableconvertor).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.serving.paths import value_at
from lockstep.serving.tables import cells
from lockstep.serving.tables.ages import age
from lockstep.serving.tables.column import AGE, NAME, Column, Columns, as_text, at, number, plain
from lockstep.serving.tables.columns_stored import STORED_TABLES
from lockstep.serving.tables.pod_cells import pod_ready, pod_restarts, pod_status

Object = dict[str, Any]
_DEFAULT = Columns((NAME, AGE))
_CONTAINERS = Column("Containers", plain(cells.container_names), wide=True)
_IMAGES = Column("Images", plain(cells.images), wide=True)
_SELECTOR = Column("Selector", plain(cells.selector), wide=True)
_NONE = "<none>"
_TABLES: Mapping[str, Columns] = {
    "pods": Columns(
        (
            NAME,
            Column("Ready", plain(pod_ready)),
            Column("Status", plain(pod_status)),
            Column("Restarts", pod_restarts),
            AGE,
            Column("IP", at("status.podIP", _NONE), wide=True),
            Column("Node", at("spec.nodeName", _NONE), wide=True),
            Column("Nominated Node", at("status.nominatedNodeName", _NONE), wide=True),
            Column("Readiness Gates", plain(cells.readiness_gates), wide=True),
        )
    ),
    "replicasets.apps": Columns(
        (
            NAME,
            number("Desired", "spec.replicas"),
            number("Current", "status.replicas"),
            number("Ready", "status.readyReplicas"),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "replicationcontrollers": Columns(
        (
            NAME,
            number("Desired", "spec.replicas"),
            number("Current", "status.replicas"),
            number("Ready", "status.readyReplicas"),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "deployments.apps": Columns(
        (
            NAME,
            Column("Ready", plain(cells.ready_of_replicas)),
            number("Up-to-date", "status.updatedReplicas"),
            number("Available", "status.availableReplicas"),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "statefulsets.apps": Columns((NAME, Column("Ready", plain(cells.ready_of_replicas)), AGE, _CONTAINERS, _IMAGES)),
    "daemonsets.apps": Columns(
        (
            NAME,
            number("Desired", "status.desiredNumberScheduled"),
            number("Current", "status.currentNumberScheduled"),
            number("Ready", "status.numberReady"),
            number("Up-to-date", "status.updatedNumberScheduled"),
            number("Available", "status.numberAvailable"),
            Column("Node Selector", plain(cells.node_selector)),
            AGE,
            _CONTAINERS,
            _IMAGES,
            _SELECTOR,
        )
    ),
    "jobs.batch": Columns(
        (
            NAME,
            Column("Status", plain(cells.job_status)),
            Column("Completions", plain(cells.job_completions)),
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
            Column("Reference", plain(cells.hpa_reference)),
            Column("Targets", plain(cells.hpa_targets)),
            Column("MinPods", as_text("spec.minReplicas", "<unset>")),
            Column("MaxPods", at("spec.maxReplicas")),
            Column("Replicas", number("Replicas", "status.currentReplicas").cell),
            AGE,
        )
    ),
    "nodes": Columns(
        (
            NAME,
            Column("Status", plain(cells.node_status)),
            Column("Roles", plain(cells.node_roles)),
            AGE,
            Column("Version", at("status.nodeInfo.kubeletVersion")),
            Column("Internal-IP", cells.node_address("InternalIP"), wide=True),
            Column("External-IP", cells.node_address("ExternalIP"), wide=True),
            Column("OS-Image", at("status.nodeInfo.osImage", "<unknown>"), wide=True),
            Column("Kernel-Version", at("status.nodeInfo.kernelVersion", "<unknown>"), wide=True),
            Column("Container-Runtime", at("status.nodeInfo.containerRuntimeVersion", "<unknown>"), wide=True),
        )
    ),
    "events": Columns(
        (
            Column("Last Seen", cells.event_last_seen),
            Column("Type", at("type")),
            Column("Reason", at("reason")),
            Column("Object", plain(cells.event_object)),
            Column("Subobject", at("involvedObject.fieldPath"), wide=True),
            Column("Source", plain(cells.event_source), wide=True),
            Column("Message", plain(cells.event_message)),
            Column("First Seen", cells.event_first_seen, wide=True),
            Column("Count", plain(cells.event_count), wide=True),
            Column("Name", at("metadata.name"), format="name", wide=True),
        )
    ),
    "namespaces": Columns((NAME, Column("Status", at("status.phase")), AGE)),
    "leases.coordination.k8s.io": Columns((NAME, Column("Holder", at("spec.holderIdentity")), AGE)),
    "poddisruptionbudgets.policy": Columns(
        (
            NAME,
            Column("Min Available", as_text("spec.minAvailable", "N/A")),
            Column("Max Unavailable", as_text("spec.maxUnavailable", "N/A")),
            number("Allowed Disruptions", "status.disruptionsAllowed"),
            AGE,
        )
    ),
}
_TYPES = frozenset({"integer", "number", "string", "boolean"})


def columns_of(resource: str, definition: Object | None, version: str) -> Columns:
    """The columns of `plural.group`; `definition` is the CustomResourceDefinition, None for other kinds."""
    if definition is None:
        name = "events" if resource == "events.events.k8s.io" else resource
        return _TABLES.get(name) or STORED_TABLES.get(name, _DEFAULT)
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
