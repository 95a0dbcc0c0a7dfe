"""Builders for VerticalPodAutoscalers and their checkpoints (autoscaling.k8s.io/v1), part of `lockstep.objects`.

Numbers and quantities are not checked, so that invalid objects are as easy to build as valid ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.objects.autoscalers import reference

Object = dict[str, Any]
Amounts = Mapping[str, Any]
_API_VERSION = "autoscaling.k8s.io/v1"


def vpa(
    name: str = "web",
    *,
    target: Object | str | None = "ReplicaSet",
    mode: str | None = None,
    min_replicas: int | None = None,
    requirements: Sequence[Object] | None = None,
    policies: Sequence[Object] | None = None,
    recommenders: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Object:
    """A VPA of the ReplicaSet of its name, or of `target`: a kind of apps/v1, an object, or a `reference`.

    `mode`, `min_replicas` and `requirements` (see `eviction_requirement`) make up the update policy; `policies` are
    those of containers (see `container_policy`), `recommenders` are names. None leaves a field out. `spec` is merged
    unchecked and takes precedence.
    """
    given = {"updateMode": mode, "minReplicas": min_replicas, "evictionRequirements": requirements}
    update = {key: value for key, value in given.items() if value is not None}
    fields: Object = {}
    if target is not None:
        fields["targetRef"] = reference(target, name)
    if update:
        fields["updatePolicy"] = update
    if policies is not None:
        fields["resourcePolicy"] = {"containerPolicies": list(policies)}
    if recommenders is not None:
        fields["recommenders"] = [{"name": one} for one in recommenders]
    meta = {"name": name, "namespace": "default", **(metadata or {})}
    return {
        "apiVersion": _API_VERSION,
        "kind": "VerticalPodAutoscaler",
        "metadata": meta,
        "spec": {**fields, **spec},
    }


def container_policy(
    container: str = "*",
    *,
    mode: str | None = None,
    min_allowed: Amounts | None = None,
    max_allowed: Amounts | None = None,
    controlled: Sequence[str] | None = None,
    values: str | None = None,
    **fields: Any,
) -> Object:
    """What a VPA may do to a container ("*": to those without their own policy).

    `controlled` are resources, `values` is RequestsAndLimits or RequestsOnly; `fields` are further fields, unchecked.
    """
    given = {
        "mode": mode,
        "minAllowed": min_allowed,
        "maxAllowed": max_allowed,
        "controlledResources": controlled,
        "controlledValues": values,
    }
    return {"containerName": container, **{key: item for key, item in given.items() if item is not None}, **fields}


def eviction_requirement(change: str, *resources: str) -> Object:
    """A condition on evictions; `change` is TargetHigherThanRequests or TargetLowerThanRequests."""
    return {"resources": list(resources), "changeRequirement": change}


def recommended(
    container: str = "main",
    *,
    target: Amounts,
    lower: Amounts | None = None,
    upper: Amounts | None = None,
    uncapped: Amounts | None = None,
) -> Object:
    """The recommendation for one container; bounds that are not given equal `target`."""
    return {
        "containerName": container,
        "lowerBound": dict(lower or target),
        "target": dict(target),
        "uncappedTarget": dict(uncapped or target),
        "upperBound": dict(upper or target),
    }


def vpa_status(*recommendations: Object, provided: bool = True, now: str = "2000-01-01T00:00:00Z") -> Object:
    """The status of a VPA with these recommendations (see `recommended`), as a recommender leaves it."""
    condition = {
        "type": "RecommendationProvided",
        "status": "True" if provided else "False",
        "lastTransitionTime": now,
    }
    return {"conditions": [condition], "recommendation": {"containerRecommendations": list(recommendations)}}


def checkpoint(
    vpa_name: str = "web",
    container: str = "main",
    *,
    name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    **status: Any,
) -> Object:
    """A VerticalPodAutoscalerCheckpoint of one container, called VPA-CONTAINER; `status` is not checked."""
    meta = {"name": name or f"{vpa_name}-{container}", "namespace": "default", **(metadata or {})}
    return {
        "apiVersion": _API_VERSION,
        "kind": "VerticalPodAutoscalerCheckpoint",
        "metadata": meta,
        "spec": {"vpaObjectName": vpa_name, "containerName": container},
        "status": dict(status),
    }
