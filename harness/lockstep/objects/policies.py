"""Builders for limits on pods: disruption budgets, limit ranges, quotas. Part of `lockstep.objects`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Object = dict[str, Any]
Amounts = Mapping[str, Any]
#: The LimitRangeItem fields of the keywords of `limits`.
_LIMITS = {
    "default": "default",
    "default_request": "defaultRequest",
    "least": "min",
    "most": "max",
    "ratio": "maxLimitRequestRatio",
}


def pdb(
    name: str = "web",
    *,
    min_available: int | str | None = None,
    max_unavailable: int | str | None = None,
    selector: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Object:
    """A PodDisruptionBudget for the pods of the workload of its name, or for `selector`.

    The simulated disruption controller keeps its status, unless `cluster.disruption.enabled` is False.
    """
    fields: Object = {"selector": dict({"matchLabels": {"app": name}} if selector is None else selector)}
    if min_available is not None:
        fields["minAvailable"] = min_available
    if max_unavailable is not None:
        fields["maxUnavailable"] = max_unavailable
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**fields, **spec},
    }


def limit_range(name: str, *items: Object) -> Object:
    """A LimitRange in the default namespace with items made by `limits`."""
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"limits": list(items)},
    }


def limits(kind: str = "Container", **amounts: Amounts) -> Object:
    """One item of a LimitRange for "Container" or "Pod": `default`, `default_request`, `least`, `most`, `ratio`."""
    return {"type": kind, **{_LIMITS[key]: dict(value) for key, value in amounts.items()}}


def resource_quota(name: str, hard: Mapping[str, str]) -> Object:
    """A ResourceQuota in the default namespace."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"hard": dict(hard)},
    }
