"""Builders for the objects that scenarios create: short to write, complete enough for a real API server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.objects.autoscalers import (
    behavior,
    container_metric,
    external_metric,
    hpa,
    object_metric,
    pods_metric,
    reference,
    resource_metric,
    scaling,
)
from lockstep.objects.batch import cron_job, daemon_set, job, replication_controller
from lockstep.objects.policies import limit_range, limits, pdb, resource_quota
from lockstep.objects.vertical_autoscalers import (
    checkpoint,
    container_policy,
    eviction_requirement,
    recommended,
    vpa,
    vpa_status,
)

__all__ = [
    "behavior",
    "checkpoint",
    "container",
    "container_metric",
    "container_policy",
    "controller_reference",
    "cron_job",
    "custom",
    "daemon_set",
    "definition",
    "deployment",
    "eviction_requirement",
    "external_metric",
    "hpa",
    "job",
    "labels_of",
    "limit_range",
    "limits",
    "object_metric",
    "pdb",
    "pod",
    "pod_template",
    "pods_metric",
    "recommended",
    "reference",
    "replica_set",
    "replication_controller",
    "resource_metric",
    "resource_quota",
    "scaling",
    "stateful_set",
    "vpa",
    "vpa_status",
]

Object = dict[str, Any]


def labels_of(name: str) -> dict[str, str]:
    """The labels that select the pods of a workload called `name`."""
    return {"app": name}


def container(name: str = "main", **fields: Any) -> Object:
    """A container. `fields` are further fields of it."""
    return {"name": name, "image": "registry.k8s.io/pause:3.10", **fields}


def pod_template(labels: Mapping[str, str], *, metadata: Mapping[str, Any] | None = None, **spec: Any) -> Object:
    """A pod template with one container, unless `spec` brings others."""
    return {
        "metadata": {"labels": dict(labels), **(metadata or {})},
        "spec": {"containers": [container()], **spec},
    }


def replica_set(
    name: str = "web",
    replicas: int | None = 1,
    *,
    labels: Mapping[str, str] | None = None,
    selector: Mapping[str, Any] | None = None,
    template: Object | None = None,
    min_ready_seconds: int = 0,
    owner: Object | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Object:
    """A ReplicaSet that selects `app: NAME`. `replicas=None` leaves the count to defaulting; `owner` controls it."""
    chosen = dict(labels or labels_of(name))
    spec: Object = {
        "selector": dict(selector or {"matchLabels": chosen}),
        "template": template or pod_template(chosen),
    }
    if replicas is not None:
        spec["replicas"] = replicas
    if min_ready_seconds:
        spec["minReadySeconds"] = min_ready_seconds
    meta: Object = {"name": name, "namespace": "default", **(metadata or {})}
    if owner is not None:
        meta["ownerReferences"] = [controller_reference(owner)]
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec}


def deployment(name: str = "web", replicas: int = 1, *, template: Object | None = None, **spec: Any) -> Object:
    """A Deployment. It can own ReplicaSets, and is rolled out only if `cluster.owners` manages Deployments."""
    return _workload("Deployment", name, replicas, template, spec)


def stateful_set(name: str = "web", replicas: int = 1, *, template: Object | None = None, **spec: Any) -> Object:
    """A StatefulSet. It gets pods only if `cluster.owners` manages StatefulSets."""
    return _workload("StatefulSet", name, replicas, template, {"serviceName": name, **spec})


def _workload(kind: str, name: str, replicas: int, template: Object | None, spec: Mapping[str, Any]) -> Object:
    labels = labels_of(name)
    fields = {"selector": {"matchLabels": labels}, "template": template or pod_template(labels), **spec}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {"replicas": replicas, **fields}}


def definition(
    kind: str = "Fleet",
    *,
    group: str = "example.com",
    versions: Sequence[str] = ("v1",),
    scale: Mapping[str, str] | None = None,
) -> Object:
    """A CustomResourceDefinition of a namespaced kind; the plural is the kind with an s, the first version is stored.

    It has a status, and a scale subresource with the paths in `scale`: by default spec.replicas, status.replicas and
    status.selector.
    """
    paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    subresources = {"status": {}, "scale": dict(scale or {**paths, "labelSelectorPath": ".status.selector"})}
    plural = f"{kind.lower()}s"
    served = [
        {"name": version, "served": True, "storage": at == 0, "subresources": subresources}
        for at, version in enumerate(versions)
    ]
    names = {"plural": plural, "singular": kind.lower(), "kind": kind}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": served},
    }


def custom(kind: str = "Fleet", name: str = "web", replicas: int | None = 1, **spec: Any) -> Object:
    """An object of a kind that `definition` defined, in version example.com/v1, with a pod template."""
    fields = {"template": pod_template(labels_of(name)), **spec}
    if replicas is not None:
        fields["replicas"] = replicas
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "example.com/v1", "kind": kind, "metadata": metadata, "spec": fields}


def pod(
    name: str,
    labels: Mapping[str, str] | None = None,
    *,
    owner: Object | None = None,
    metadata: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Object:
    """A pod without a template; `owner` becomes its controller."""
    meta: Object = {"name": name, "namespace": "default", "labels": dict(labels or {}), **(metadata or {})}
    if owner is not None:
        meta["ownerReferences"] = [controller_reference(owner)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": {"containers": [container()], **spec},
    }


def controller_reference(owner: Object) -> Object:
    """An owner reference that makes `owner` the managing controller (metav1.NewControllerRef)."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
