"""Builders for the objects that scenarios create: short to write, complete enough for a real API server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Object = dict[str, Any]


def labels_of(name: str) -> dict[str, str]:
    """The labels that select the pods of a workload called `name`."""
    return {"app": name}


def container(name: str = "main", **fields: Any) -> Object:
    """A container; `fields` are added as they are."""
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


def deployment(name: str = "web", replicas: int = 1) -> Object:
    """A Deployment; nothing acts on it, but it can own ReplicaSets."""
    labels = labels_of(name)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod_template(labels)},
    }


def pod(
    name: str,
    labels: Mapping[str, str] | None = None,
    *,
    owner: Object | None = None,
    metadata: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Object:
    """A pod that no template made; `owner` becomes its controller."""
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


def resource_quota(name: str, hard: Mapping[str, str]) -> Object:
    """A ResourceQuota in the default namespace."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"hard": dict(hard)},
    }
