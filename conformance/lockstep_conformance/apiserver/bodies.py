"""Small objects to send."""

from __future__ import annotations

from typing import Any

LABELS = {"app": "web"}


def config_map(name: str = "one", **data: str) -> dict[str, Any]:
    """A ConfigMap: the simplest object."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def container(name: str = "main", **fields: Any) -> dict[str, Any]:
    """A container."""
    return {"name": name, "image": "registry.k8s.io/pause:3.10", **fields}


def pod(name: str = "one", *, spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """A Pod with one container."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": dict(LABELS), **metadata},
        "spec": {"containers": [container()], **(spec or {})},
    }


def workload(kind: str = "ReplicaSet", name: str = "web", **spec: Any) -> dict[str, Any]:
    """A ReplicaSet, Deployment, StatefulSet or DaemonSet."""
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": dict(LABELS)},
            "template": {"metadata": {"labels": dict(LABELS)}, "spec": {"containers": [container()]}},
            **spec,
        },
    }


def autoscaler(name: str = "web", version: str = "v2", **spec: Any) -> dict[str, Any]:
    """A HorizontalPodAutoscaler of a Deployment."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {"scaleTargetRef": target, "maxReplicas": 5, **spec},
    }


def budget(name: str = "guard", **spec: Any) -> dict[str, Any]:
    """A PodDisruptionBudget over the pods with LABELS."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": dict(LABELS)}, **spec},
    }


def lease(name: str = "lock", **spec: Any) -> dict[str, Any]:
    """A Lease."""
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": spec}


def quota(name: str = "limit", **hard: str) -> dict[str, Any]:
    """A ResourceQuota."""
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard}}


def job(name: str = "work", **spec: Any) -> dict[str, Any]:
    """A Job."""
    template = {"spec": {"containers": [container()], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def definition(group: str, *, plural: str = "widgets", kind: str = "Widget", **version: Any) -> dict[str, Any]:
    """A CustomResourceDefinition with one version, by default for objects with any content."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema, **version}],
        },
    }


def custom(group: str, name: str = "one", *, kind: str = "Widget", **content: Any) -> dict[str, Any]:
    """A custom resource of `definition`."""
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, **content}
