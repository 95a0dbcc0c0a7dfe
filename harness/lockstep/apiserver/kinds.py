"""The kinds that the server knows, as data: one line each.

A kind says how its objects are addressed, which parts its subresources may write and which of upstream's store options
apply (pkg/registry/<group>/<resource>/strategy.go and storage.go). What is checked and defaulted for it stands in
`validation` and `defaults`, under the same kind name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lockstep.apiserver.structural import Structural, compile_schema

NO_FIELDS: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Kind:
    """One resource of one API version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    #: "status", "scale", "binding", "eviction", "resize", "ephemeralcontainers", "finalize", "approval", "token".
    subresources: tuple[str, ...] = ()
    #: Starts at generation 1 and moves on every change of the spec.
    generation: bool = True
    #: A PUT without resourceVersion replaces whatever is there.
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
    #: Answers questions and keeps nothing: objects can be created only, and are gone with the answer.
    asked_only: bool = False
    #: For custom resources: JSON paths of the scale subresource.
    scale_paths: dict[str, str] = field(default_factory=dict)
    #: For custom resources: what their objects look like; None lets everything pass.
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
_SCALED = ("status", "scale")
_ALL = ("all",)
_EXTENSIONS = ("api-extensions",)
_POD_SUBRESOURCES = ("status", "binding", "eviction", "resize", "ephemeralcontainers")
DAEMON_SET_COUNTS = frozenset({"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"})
_PDB_STATUS = frozenset({"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"})

BUILT_IN: tuple[Kind, ...] = (
    Kind(
        "",
        "v1",
        "Pod",
        "pods",
        categories=_ALL,
        subresources=_POD_SUBRESOURCES,
        returns_deleted=True,
        fields=_POD_FIELDS,
        short_names=("po",),
        status_kept=frozenset(),
    ),
    Kind(
        "",
        "v1",
        "Node",
        "nodes",
        namespaced=False,
        subresources=("status",),
        generation=False,
        fields=frozenset({"spec.unschedulable"}),
        short_names=("no",),
    ),
    Kind(
        "",
        "v1",
        "Namespace",
        "namespaces",
        namespaced=False,
        subresources=("status", "finalize"),
        generation=False,
        returns_deleted=True,
        fields=frozenset({"status.phase"}),
        short_names=("ns",),
    ),
    Kind(
        "", "v1", "Event", "events", generation=False, create_on_update=True, fields=_EVENT_FIELDS, short_names=("ev",)
    ),
    Kind(
        "events.k8s.io",
        "v1",
        "Event",
        "events",
        generation=False,
        create_on_update=True,
        fields=_NEW_EVENT_FIELDS,
        stored_as="events",
        short_names=("ev",),
    ),
    Kind(
        "",
        "v1",
        "ReplicationController",
        "replicationcontrollers",
        categories=_ALL,
        subresources=_SCALED,
        orphan_by_default=True,
        fields=frozenset({"status.replicas"}),
        short_names=("rc",),
        status_kept=frozenset({"replicas"}),
    ),
    Kind(
        "",
        "v1",
        "ResourceQuota",
        "resourcequotas",
        subresources=("status",),
        generation=False,
        returns_deleted=True,
        short_names=("quota",),
    ),
    Kind("", "v1", "LimitRange", "limitranges", generation=False, create_on_update=True, short_names=("limits",)),
    Kind(
        "",
        "v1",
        "ServiceAccount",
        "serviceaccounts",
        generation=False,
        returns_deleted=True,
        short_names=("sa",),
        subresources=("token",),
    ),
    Kind("", "v1", "ConfigMap", "configmaps", generation=False, short_names=("cm",)),
    Kind("", "v1", "Secret", "secrets", generation=False, fields=frozenset({"type"})),
    Kind(
        "",
        "v1",
        "Service",
        "services",
        categories=_ALL,
        generation=False,
        create_on_update=True,
        returns_deleted=True,
        subresources=("status",),
        short_names=("svc",),
    ),
    Kind("", "v1", "Endpoints", "endpoints", generation=False, create_on_update=True, short_names=("ep",)),
    Kind(
        "apps",
        "v1",
        "ReplicaSet",
        "replicasets",
        categories=_ALL,
        subresources=_SCALED,
        short_names=("rs",),
        status_kept=frozenset({"replicas", "terminatingReplicas"}),
    ),
    Kind(
        "apps",
        "v1",
        "Deployment",
        "deployments",
        categories=_ALL,
        subresources=_SCALED,
        short_names=("deploy",),
        status_kept=frozenset({"terminatingReplicas", "collisionCount"}),
    ),
    Kind(
        "apps",
        "v1",
        "StatefulSet",
        "statefulsets",
        categories=_ALL,
        subresources=_SCALED,
        short_names=("sts",),
        status_kept=frozenset({"replicas", "availableReplicas", "collisionCount"}),
    ),
    Kind(
        "apps",
        "v1",
        "DaemonSet",
        "daemonsets",
        categories=_ALL,
        subresources=("status",),
        short_names=("ds",),
        status_kept=DAEMON_SET_COUNTS,
    ),
    Kind("apps", "v1", "ControllerRevision", "controllerrevisions", generation=False),
    Kind(
        "batch",
        "v1",
        "Job",
        "jobs",
        categories=_ALL,
        subresources=("status",),
        orphan_by_default=True,
        fields=frozenset({"status.successful"}),
    ),
    Kind("batch", "v1", "CronJob", "cronjobs", categories=_ALL, subresources=("status",), short_names=("cj",)),
    Kind(
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        subresources=("status",),
        unconditional_update=False,
        short_names=("pdb",),
        status_kept=_PDB_STATUS,
    ),
    Kind(
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        categories=_ALL,
        subresources=("status",),
        generation=False,
        short_names=("hpa",),
    ),
    Kind(
        "autoscaling",
        "v1",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        categories=_ALL,
        subresources=("status",),
        generation=False,
        short_names=("hpa",),
        stored_as="horizontalpodautoscalers.autoscaling",
    ),
    Kind(
        "coordination.k8s.io",
        "v1",
        "Lease",
        "leases",
        generation=False,
        unconditional_update=False,
        create_on_update=True,
    ),
    Kind(
        "admissionregistration.k8s.io",
        "v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        categories=_EXTENSIONS,
        namespaced=False,
        unconditional_update=False,
    ),
    Kind(
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        categories=_EXTENSIONS,
        namespaced=False,
        unconditional_update=False,
    ),
    Kind(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        categories=_EXTENSIONS,
        namespaced=False,
        subresources=("status",),
        unconditional_update=False,
        short_names=("crd", "crds"),
    ),
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
