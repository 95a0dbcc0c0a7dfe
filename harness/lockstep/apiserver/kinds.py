"""The kinds that the server knows, as data: one line each.

How a kind's objects are addressed is in the table of resources that upstream publishes. This module says which of
upstream's store options apply (pkg/registry/<group>/<resource>/strategy.go and storage.go). Checks and defaults of a
kind are in `validation` and `defaults`, under the same kind name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lockstep.apiserver.builtin.resources import Resource, resources
from lockstep.apiserver.structural import Structural, compile_schema

NO_FIELDS: frozenset[str] = frozenset()
#: Subresources that are served here; the others need a running container, or a way to a server.
SUBRESOURCES = frozenset(
    {"status", "scale", "binding", "eviction", "resize", "ephemeralcontainers", "finalize", "approval", "token"}
)


@dataclass(frozen=True, eq=False)
class Kind:
    """One resource of one API version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    #: Those of SUBRESOURCES that it has.
    subresources: tuple[str, ...] = ()
    #: Starts at generation 1 and increases with every change of the spec.
    generation: bool = True
    #: A PUT without resourceVersion replaces any version.
    unconditional_update: bool = True
    create_on_update: bool = False
    #: DELETE answers with the object instead of a Status.
    returns_deleted: bool = False
    #: A DELETE that names no policy orphans the dependents.
    orphan_by_default: bool = False
    #: Field selectors beyond metadata.name and metadata.namespace.
    fields: frozenset[str] = NO_FIELDS
    #: Top-level status fields that are written even when they are zero (no `omitempty`, or a pointer).
    status_kept: frozenset[str] | None = None
    #: Strategic merge patches need a Go schema; kinds without one refuse them.
    strategic: bool = True
    #: Kept in the collection of this other resource, in that one's form.
    stored_as: str = ""
    short_names: tuple[str, ...] = ()
    #: Names under which `kubectl get` finds it together with others.
    categories: tuple[str, ...] = ()
    #: Answers questions and stores nothing: objects can only be created, and exist only in the answer.
    asked_only: bool = False
    #: For custom resources: JSON paths of the scale subresource.
    scale_paths: dict[str, str] = field(default_factory=dict)
    #: For custom resources: the schema of their objects; None accepts everything.
    schema: Structural | None = None

    @cached_property
    def api_version(self) -> str:
        """As in an object: `group/version`, the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def resource(self) -> str:
        """`plural.group`, the plural alone for the core group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @cached_property
    def collection(self) -> str:
        """The collection that holds the objects."""
        return self.stored_as or self.resource

    @cached_property
    def has_status(self) -> bool:
        """Whether the status is a subresource."""
        return "status" in self.subresources


_POD_FIELDS = frozenset(
    {
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    }
)
_EVENT_FIELDS = frozenset(
    {
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    }
)
_NEW_EVENT_FIELDS = frozenset(
    {
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "regarding.apiVersion",
        "regarding.resourceVersion",
        "regarding.fieldPath",
        "reason",
        "reportingController",
        "type",
    }
)
DAEMON_SET_COUNTS = frozenset({"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"})
_PDB_STATUS = frozenset({"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"})


def published(resource: Resource, **options: Any) -> Kind:
    """A kind as upstream publishes it, with these of its store options."""
    return Kind(
        resource.group,
        resource.version,
        resource.kind,
        resource.plural,
        namespaced=resource.namespaced,
        subresources=tuple(name for name in resource.subresources if name in SUBRESOURCES),
        short_names=resource.short_names,
        categories=resource.categories,
        **options,
    )


def _kind(group: str, version: str, plural: str, **options: Any) -> Kind:
    return published(resources()[group, version, plural], **options)


BUILT_IN: tuple[Kind, ...] = (
    _kind("", "v1", "pods", returns_deleted=True, fields=_POD_FIELDS, status_kept=frozenset()),
    _kind("", "v1", "nodes", generation=False, fields=frozenset({"spec.unschedulable"})),
    _kind("", "v1", "namespaces", generation=False, returns_deleted=True, fields=frozenset({"status.phase"})),
    _kind("", "v1", "events", generation=False, create_on_update=True, fields=_EVENT_FIELDS),
    _kind(
        "events.k8s.io",
        "v1",
        "events",
        generation=False,
        create_on_update=True,
        fields=_NEW_EVENT_FIELDS,
        stored_as="events",
    ),
    _kind(
        "",
        "v1",
        "replicationcontrollers",
        orphan_by_default=True,
        fields=frozenset({"status.replicas"}),
        status_kept=frozenset({"replicas"}),
    ),
    _kind("", "v1", "resourcequotas", generation=False, returns_deleted=True),
    _kind("", "v1", "limitranges", generation=False, create_on_update=True),
    _kind("", "v1", "serviceaccounts", generation=False, returns_deleted=True),
    _kind("", "v1", "configmaps", generation=False),
    _kind("", "v1", "secrets", generation=False, fields=frozenset({"type"})),
    _kind("", "v1", "services", generation=False, create_on_update=True, returns_deleted=True),
    _kind("", "v1", "endpoints", generation=False, create_on_update=True),
    _kind("apps", "v1", "replicasets", status_kept=frozenset({"replicas", "terminatingReplicas"})),
    _kind("apps", "v1", "deployments", status_kept=frozenset({"terminatingReplicas", "collisionCount"})),
    _kind("apps", "v1", "statefulsets", status_kept=frozenset({"replicas", "availableReplicas", "collisionCount"})),
    _kind("apps", "v1", "daemonsets", status_kept=DAEMON_SET_COUNTS),
    _kind("apps", "v1", "controllerrevisions", generation=False),
    _kind("batch", "v1", "jobs", orphan_by_default=True, fields=frozenset({"status.successful"})),
    _kind("batch", "v1", "cronjobs"),
    _kind("policy", "v1", "poddisruptionbudgets", unconditional_update=False, status_kept=_PDB_STATUS),
    _kind("autoscaling", "v2", "horizontalpodautoscalers", generation=False),
    _kind(
        "autoscaling",
        "v1",
        "horizontalpodautoscalers",
        generation=False,
        stored_as="horizontalpodautoscalers.autoscaling",
    ),
    _kind("coordination.k8s.io", "v1", "leases", generation=False, unconditional_update=False, create_on_update=True),
    _kind("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", unconditional_update=False),
    _kind("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", unconditional_update=False),
    _kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", unconditional_update=False),
)


def kinds_of_definition(definition: dict[str, Any]) -> Iterator[Kind]:
    """The kinds that a CustomResourceDefinition adds, one for each version it serves."""
    spec = definition["spec"]
    names = spec["names"]
    storage = next((item["name"] for item in spec["versions"] if item.get("storage")), spec["versions"][0]["name"])
    for version in spec["versions"]:
        if not version.get("served", True):
            continue
        declared = version.get("subresources") or {}
        scale = declared.get("scale") or {}
        resource = f"{names['plural']}.{spec['group']}"
        yield Kind(
            spec["group"],
            version["name"],
            names["kind"],
            names["plural"],
            namespaced=spec.get("scope", "Namespaced") == "Namespaced",
            subresources=tuple(name for name in ("status", "scale") if name in declared),
            unconditional_update=False,
            strategic=False,
            short_names=tuple(names.get("shortNames") or ()),
            categories=tuple(names.get("categories") or ()),
            stored_as="" if version["name"] == storage else resource,
            scale_paths={key: str(value) for key, value in scale.items()},
            schema=_schema_of(version),
        )


def _schema_of(version: dict[str, Any]) -> Structural | None:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    return None if schema is None else compile_schema(schema)
