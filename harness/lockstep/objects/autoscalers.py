"""Builders for HorizontalPodAutoscalers (autoscaling/v2), part of `lockstep.objects`.

Numbers and quantities are not checked, so that invalid specs are as easy to build as valid ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Object = dict[str, Any]
Labels = Mapping[str, str]


def hpa(
    name: str = "web",
    *,
    target: Object | None = None,
    min_replicas: int | None = None,
    max_replicas: int = 10,
    metrics: Sequence[Object] | None = None,
    behavior: Object | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Object:
    """An autoscaler of the ReplicaSet of its name, or of `target`: an object, or a `reference`.

    `min_replicas`, `metrics` and `behavior` are left to defaulting where they are None. For `behavior` see `behavior`.
    """
    spec: Object = {"scaleTargetRef": reference(target or "ReplicaSet", name), "maxReplicas": max_replicas}
    if min_replicas is not None:
        spec["minReplicas"] = min_replicas
    if metrics is not None:
        spec["metrics"] = list(metrics)
    if behavior is not None:
        spec["behavior"] = behavior
    meta = {"name": name, "namespace": "default", **(metadata or {})}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": meta, "spec": spec}


def reference(target: Object | str, name: str = "", api_version: str = "apps/v1") -> Object:
    """A CrossVersionObjectReference: to an object, or to a kind and a name."""
    if isinstance(target, str):
        return {"kind": target, "name": name, "apiVersion": api_version}
    if "metadata" not in target:
        return target
    return {"kind": target["kind"], "name": target["metadata"]["name"], "apiVersion": target["apiVersion"]}


# -- metrics -----------------------------------------------------------------------------------------------------------


def resource_metric(name: str = "cpu", *, utilization: int | None = None, average: str | None = None) -> Object:
    """Usage of all containers: `utilization` in per cent of their requests, or an `average` per pod ("500m")."""
    return {"type": "Resource", "resource": {"name": name, "target": _target(utilization=utilization, average=average)}}


def container_metric(
    container: str, name: str = "cpu", *, utilization: int | None = None, average: str | None = None
) -> Object:
    """Usage of one container, otherwise as `resource_metric`."""
    source = {"name": name, "container": container, "target": _target(utilization=utilization, average=average)}
    return {"type": "ContainerResource", "containerResource": source}


def pods_metric(metric: str, average: str, *, labels: Labels | None = None) -> Object:
    """A custom metric of the pods: `average` per pod. `labels` select among its series."""
    return {"type": "Pods", "pods": {"metric": _identifier(metric, labels), "target": _target(average=average)}}


def object_metric(
    metric: str,
    described: Object,
    *,
    value: str | None = None,
    average: str | None = None,
    labels: Labels | None = None,
) -> Object:
    """A custom metric of an object (or `reference`): its `value`, or its `average` over the pods."""
    target = _target(value=value, average=average)
    source = {"describedObject": reference(described), "metric": _identifier(metric, labels), "target": target}
    return {"type": "Object", "object": source}


def external_metric(
    metric: str, *, value: str | None = None, average: str | None = None, labels: Labels | None = None
) -> Object:
    """A metric from outside the cluster: its `value`, or its `average` over the pods."""
    target = _target(value=value, average=average)
    return {"type": "External", "external": {"metric": _identifier(metric, labels), "target": target}}


def _target(utilization: int | None = None, average: str | None = None, value: str | None = None) -> Object:
    """A MetricTarget with the fields that are given; its type is that of the first."""
    given = {"averageUtilization": utilization, "averageValue": average, "value": value}
    fields = {field: amount for field, amount in given.items() if amount is not None}
    types = {"averageUtilization": "Utilization", "averageValue": "AverageValue", "value": "Value"}
    return {"type": next((types[field] for field in fields), ""), **fields}


def _identifier(metric: str, labels: Labels | None) -> Object:
    return {"name": metric} if labels is None else {"name": metric, "selector": {"matchLabels": dict(labels)}}


# -- behavior ----------------------------------------------------------------------------------------------------------


def behavior(*, up: Object | None = None, down: Object | None = None) -> Object:
    """How fast replicas may grow and shrink; each of them made by `scaling`."""
    rules = {"scaleUp": up, "scaleDown": down}
    return {field: rule for field, rule in rules.items() if rule is not None}


def scaling(
    *policies: tuple[str, int, int],
    window: int | None = None,
    select: str | None = None,
    tolerance: str | None = None,
) -> Object:
    """Rules of one direction. A policy is ("Pods", 4, 60) or ("Percent", 100, 15): type, value, period in seconds.

    `window`: stabilization in seconds; `select`: Max, Min or Disabled; `tolerance`: a quantity such as "50m". Omitted
    fields are left to defaulting.
    """
    rules: Object = {}
    if policies:
        rules["policies"] = [
            {"type": kind, "value": value, "periodSeconds": period} for kind, value, period in policies
        ]
    given = {"stabilizationWindowSeconds": window, "selectPolicy": select, "tolerance": tolerance}
    return {**rules, **{field: one for field, one in given.items() if one is not None}}
