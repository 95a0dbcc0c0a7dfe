"""Objects for tests of what the VPA's parts share: pods, VPAs and LimitRanges in wire form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index
from lockstep_reference.vpa.utils.limitrange import LimitsRangeCalculator

Wire = dict[str, Any]
Amounts = Mapping[str, str]


def container(name: str = "app", requests: Amounts | None = None, limits: Amounts | None = None) -> Wire:
    resources = {key: dict(value) for key, value in (("requests", requests), ("limits", limits)) if value is not None}
    return {"name": name, "resources": resources} if resources else {"name": name}


def pod(*containers: Wire, name: str = "web-1", **fields: Any) -> Wire:
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", **fields.pop("metadata", {})}
    status = {"phase": "Running", **fields.pop("status", {})}
    return {"metadata": metadata, "spec": {"containers": list(containers)}, "status": status, **fields}


def owned(kind: str, name: str) -> list[Wire]:
    return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}]


def recommended(name: str = "app", target: Amounts | None = None, **bounds: Amounts) -> Wire:
    return {"containerName": name, "target": dict(target or {}), **{key: dict(value) for key, value in bounds.items()}}


def vpa(*recommendations: Wire, mode: str | None = None, policies: Sequence[Wire] | None = None, **spec: Any) -> Wire:
    if mode is not None:
        spec["updatePolicy"] = {"updateMode": mode, **spec.get("updatePolicy", {})}
    if policies is not None:
        spec["resourcePolicy"] = {"containerPolicies": list(policies)}
    status = {"recommendation": {"containerRecommendations": list(recommendations)}} if recommendations else {}
    return {"metadata": {"name": "vpa", "namespace": "default"}, "spec": spec, "status": status}


def limit_range(*items: Wire, name: str = "bounds") -> Wire:
    return {"metadata": {"name": name, "namespace": "default"}, "spec": {"limits": list(items)}}


def calculator(*limit_ranges: Wire) -> LimitsRangeCalculator:
    indexer = Indexer({NAMESPACE_INDEX: namespace_index})
    indexer.replace(list(limit_ranges), "1")
    return LimitsRangeCalculator(indexer)
