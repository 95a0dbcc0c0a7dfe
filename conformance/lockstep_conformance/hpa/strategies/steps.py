"""Strategies for the steps of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies import autoscalers, signals
from lockstep_conformance.hpa.strategies.names import (
    API_GROUPS,
    CONTAINERS,
    HPAS,
    LABELS,
    LEFT_OUT,
    POD_METRICS,
    Dicts,
    Json,
    any_of,
    merged,
    weighted,
)
from lockstep_conformance.hpa.strategies.workloads import WORKLOADS as WORKLOADS_TO_BE

_RESOURCE = "horizontalpodautoscalers.autoscaling"
_WATCHED = ("pods", "replicasets.apps", _RESOURCE)
_AFTER = (0.0, 1.0, 4.0, 5.0, 9.0, 11.0, 14.0, 16.0, 21.0, 31.0)
_WHEN = any_of(after=_AFTER)
_DURING = {"during": (LEFT_OUT, 9, 21, 60)}
_METRIC = {"metric": (*[LEFT_OUT] * 2, *POD_METRICS)}
_PODS = tuple(LABELS.values())
_WHICH = (None, 0, 1, 2, -1)


def _step(action: str, **choices: Iterable[Any]) -> Dicts:
    """A step whose fields are drawn from tables."""
    return merged(_WHEN, any_of(do=[action], **choices))


def _with(field: str, strategy: Json, step: Dicts) -> Dicts:
    """A step with one more field."""
    return st.tuples(step, strategy).map(lambda drawn: {**drawn[0], field: drawn[1]})


# -- workloads and autoscalers -----------------------------------------------------------------------------------------

_OF_POD: dict[str, Iterable[Any]] = {"owner": [None], "index": range(7)}
_INDEX = {"index": range(4)}
_TO_WORKLOADS = (
    (3, _step("scale", replicas=(1, 2, 4, 7, 11, 0), **_INDEX)),
    (1, _with("workload", weighted(*((1, one) for one in WORKLOADS_TO_BE.values())), _step("create-workload"))),
    (1, _step("delete-workload", propagation=("Background", "Foreground", "Orphan"), **_INDEX)),
    (1, _step("delete-pod", grace=(None, 0, 2), **_OF_POD)),
    (1, _step("relabel-pod", labels=(*_PODS, {"app": "z"}), **_OF_POD)),
    (1, _step("fail-pod", **_OF_POD)),
    (1, _step("succeed-pod", **_OF_POD)),
    (1, _step("restart-container", **_OF_POD)),
    (1, _step("set-ready", ready=(False, True), **_OF_POD)),
    (1, _step("foreign-pod", name=("fox", "gnu"), labels=_PODS)),
)
_NEW_HPA = st.tuples(st.sampled_from(("dog", *HPAS)), autoscalers.any_spec).map(
    lambda drawn: {"name": drawn[0], "spec": drawn[1]}
)
_TO_HPAS = (
    (2, _with("hpa", _NEW_HPA, _step("create-hpa"))),
    (5, _with("spec", autoscalers.edit, _step("edit-hpa", **_INDEX))),
    (1, _with("spec", autoscalers.any_spec, _step("edit-hpa", **_INDEX))),
    (1, _step("delete-hpa", **_INDEX)),
    (1, _step("recreate-hpa", seconds=(0.0, 1.0, 11.0, 31.0), **_INDEX)),
)

# -- metrics -----------------------------------------------------------------------------------------------------------

_ODD_VALUES: tuple[Any, ...] = (*signals.ODD_QUANTITIES, None, "", "much", 5, -1.5, True, {})
_PUT: dict[tuple[str | int, ...], tuple[Any, ...]] = {
    ("containers", 0, "usage", "cpu"): _ODD_VALUES,
    ("containers", 0, "usage", "memory"): _ODD_VALUES,
    ("timestamp",): (None, "", "yesterday", "1999-12-31T23:59:59Z", "2030-01-01T00:00:00Z", 0),
    ("window",): (None, "", "0s", "5m0s", "-15s", "15", 15),
    ("containers",): (None, [], {}),
    ("value",): _ODD_VALUES,
}
_DROP = (["containers"], ["timestamp"], ["window"], ["containers", 0, "usage"], ["value"])
_EDITS = (
    *({"path": list(path), "to": one} for path, values in _PUT.items() for one in values),
    *({"path": path} for path in _DROP),
)
_ANSWERED: tuple[Any, ...] = (None, [], {}, "", "service unavailable", {"kind": "Status", "code": 500})
_ITEMS: tuple[Any, ...] = (None, [], {}, [{}])
_ANSWERS = (
    *({"path": [], "to": one} for one in _ANSWERED),
    *({"path": ["items"], "to": one} for one in _ITEMS),
    {"path": ["items"]},
)
_VERSIONS = (["v1beta1"], ["v1beta2"], ["v1beta1", "v1beta2"], ["v1beta2", "v1beta1"], ["v1beta9"])
_TO_METRICS = (
    (3, _with("signal", signals.signal, _step("signal"))),
    (3, _with("signal", signals.load, _step("signal"))),
    (1, _step("end-signal", index=range(4))),
    (1, _with("rhythm", signals.rhythm, _step("scrape"))),
    (2, _step("lose", pods=_PODS, which=_WHICH, **_METRIC, **_DURING)),
    (1, _step("lose", pods=_PODS, which=_WHICH, container=CONTAINERS, **_DURING)),
    (1, _step("freeze", **_DURING)),
    (1, _step("freeze", pods=_PODS, which=_WHICH, **_METRIC, **_DURING)),
    (2, _step("alter", pods=_PODS, which=_WHICH, edit=_EDITS, **_METRIC, **_DURING)),
    (1, _step("garble", group=API_GROUPS, edit=_ANSWERS, **_DURING)),
    (1, _step("unavailable", group=API_GROUPS, **_DURING)),
    (1, _step("remove-api", group=API_GROUPS)),
    (1, _step("serve-api", group=["custom.metrics.k8s.io"], versions=_VERSIONS)),
)

# -- requests and watches ----------------------------------------------------------------------------------------------

_HPA, _RS = "horizontal-pod-autoscaler", "replicaset-controller"
_REQUESTS = (
    *[("get", "replicasets.apps", "scale", _HPA)] * 2,
    *[("update", "replicasets.apps", "scale", _HPA)] * 3,
    *[("update", _RESOURCE, "status", _HPA)] * 3,
    *[("list", "pods.metrics.k8s.io", "", _HPA)] * 2,
    ("get", "custom.metrics.k8s.io", "", _HPA),
    ("get", "external.metrics.k8s.io", "", _HPA),
    ("get", "", "", _HPA),  # discovery
    ("create", "pods", "", _RS),
    ("update", "replicasets.apps", "status", _RS),
)
_REQUEST = st.sampled_from(
    [dict(zip(("verb", "resource", "subresource", "actor"), one, strict=True)) for one in _REQUESTS]
)
_TIMES = {"times": (LEFT_OUT, LEFT_OUT, 2, 3, 6)}
_CODES = (409, 409, 409, 500, 503, 429, 404, 403, 504)
_CONTROLLERS = (["hpa"], ["hpa"], ["replicaset"], ["hpa", "replicaset"])
_EFFECT = {"effect": (False, True)}
_TO_REQUESTS = (
    (4, merged(_REQUEST, _step("error", code=_CODES, retry_after=(*[LEFT_OUT] * 4, 1), **_TIMES))),
    (1, merged(_REQUEST, _step("timeout", seconds=(5.0, 34.0), **_EFFECT, **_TIMES))),
    (2, merged(_REQUEST, _step("latency", seconds=(0.05, 1.0, 7.0, 20.0), times=(1, 2, 4), **_EFFECT))),
    (1, merged(_REQUEST, _step("disconnect", **_EFFECT, **_TIMES))),
    (2, merged(_REQUEST, _step("crash-at", controllers=_CONTROLLERS, skip=range(3), **_EFFECT))),
    (1, _step("crash", controllers=_CONTROLLERS, seconds=(0.0, 1.0, 30.0))),
    (1, _step("expire-watch", resource=_WATCHED)),
    (1, _step("hold", resource=_WATCHED)),
    (1, _step("release", resource=_WATCHED)),
    (1, _step("lag", resource=_WATCHED, seconds=(0.0, 0.3, 5.0, 40.0))),
    (1, _step("drop-watch", resource=_WATCHED)),
)

step = weighted(
    (2, weighted(*_TO_WORKLOADS)), (3, weighted(*_TO_HPAS)), (3, weighted(*_TO_METRICS)), (3, weighted(*_TO_REQUESTS))
)
