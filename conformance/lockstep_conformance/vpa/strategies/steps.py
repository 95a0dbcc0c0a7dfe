"""Strategies for the steps of a VPA plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep_conformance.hpa.strategies.names import LEFT_OUT, Dicts, Json, any_of, merged, weighted
from lockstep_conformance.vpa.strategies import autoscalers
from lockstep_conformance.vpa.strategies.loads import load
from lockstep_conformance.vpa.strategies.names import (
    ADMISSION,
    CONTAINERS,
    NAMES,
    PARTS,
    RECOMMENDER,
    UPDATER,
    WORKLOADS,
)
from lockstep_conformance.vpa.strategies.workloads import bound, workload

_LEASES = "leases.coordination.k8s.io"
_WATCHED = ("pods", "pods", "replicasets.apps", "limitranges", VPAS, VPAS)
_WHEN = any_of(after=(0.0, 5.0, 21.0, 61.0, 61.0, 90.0, 125.0, 190.0, 430.0))
_PODS = tuple({"app": name} for name in WORKLOADS)
_DURING = {"during": (LEFT_OUT, 61, 200)}


def _step(action: str, **choices: Iterable[Any]) -> Dicts:
    """A step whose fields are drawn from tables."""
    return merged(_WHEN, any_of(do=[action], **choices))


def _with(field: str, strategy: Json, step: Dicts) -> Dicts:
    """A step with one more field."""
    return st.tuples(step, strategy).map(lambda drawn: {**drawn[0], field: drawn[1]})


# -- workloads, their pods, and bounds ---------------------------------------------------------------------------------

_OF_POD: dict[str, Iterable[Any]] = {"owner": WORKLOADS, "index": range(4)}
_RESIZES = (
    None,
    {"takes": 0.0},
    {"takes": 70.0},
    {"takes": None},
    {"verdict": "Deferred", "pending_for": 100.0},
    {"verdict": "Deferred"},
    {"verdict": "Infeasible"},
    {"takes": None, "error": "cgroup is read-only"},
)
_TO_PODS = (
    (3, _step("wait")),
    (2, _step("scale", name=WORKLOADS, replicas=(1, 2, 4, 0))),
    (2, _with("workload", workload, _step("edit-workload"))),
    (1, _step("delete-pod", grace=(None, 0, 2), **_OF_POD)),
    (1, _step("fail-pod", **_OF_POD)),
    (1, _step("restart-container", **_OF_POD)),
    (1, _step("set-ready", ready=(False, True), **_OF_POD)),
    (3, _step("oom-kill", container=(0, 1), down=(None, None, 0, 15), **_OF_POD)),
    (2, _step("evict-by-kubelet", usage=("100Mi", "700Mi"), **_OF_POD)),
    (2, _step("resizes", resize=_RESIZES)),
    (2, _with("bound", bound, _step("bound"))),
    (1, _step("unbound", resource=("limitranges", "poddisruptionbudgets.policy"))),
)

# -- autoscalers -------------------------------------------------------------------------------------------------------

_INDEX = {"index": range(3)}
_NEW = st.tuples(st.sampled_from(NAMES), autoscalers.any_spec).map(lambda drawn: {"name": drawn[0], "spec": drawn[1]})
_STATUSES: tuple[dict[str, Any], ...] = (
    {"version": "v2"},
    {"cpuHistogram": {"totalWeight": 0}},
    {"memoryHistogram": {"bucketWeights": {"20": 7, "0": 10000}, "totalWeight": 3.5}},
    {"cpuHistogram": {"bucketWeights": {"900": 1}}},
    {"firstSampleStart": "1999-12-25T00:00:00Z", "totalSamplesCount": 20000},
    {"cpuHistogram": None, "memoryHistogram": None},
)
_TO_VPAS = (
    (2, _with("vpa", _NEW, _step("create-vpa"))),
    (6, _with("spec", autoscalers.edit, _step("edit-vpa", **_INDEX))),
    (1, _step("delete-vpa", **_INDEX)),
    (1, _step("recreate-vpa", seconds=(0.0, 5.0, 90.0), **_INDEX)),
    (2, _step("edit-checkpoint", status=_STATUSES, index=range(4))),
    (1, _step("delete-checkpoint", index=range(4))),
)

# -- metrics -----------------------------------------------------------------------------------------------------------

_ODD_VALUES: tuple[Any, ...] = ("0", "-1", "1n", "1e3", "7Ei", "9223372036854775807", "-5k", None, "", "much", 5, {})
_PUT: dict[tuple[str | int, ...], tuple[Any, ...]] = {
    ("containers", 0, "usage", "cpu"): _ODD_VALUES,
    ("containers", 0, "usage", "memory"): _ODD_VALUES,
    ("timestamp",): (None, "", "yesterday", "1999-12-31T23:59:59Z", "2030-01-01T00:00:00Z", 0),
    ("window",): (None, "", "0s", "5m0s", "-15s", 15),
    ("containers",): (None, [], {}),
}
_EDITS = (
    *({"path": list(path), "to": one} for path, values in _PUT.items() for one in values),
    *({"path": path} for path in (["containers"], ["timestamp"], ["containers", 0, "usage"])),
)
_ANSWERED: tuple[Any, ...] = (None, [], {}, "service unavailable", {"kind": "Status", "code": 500})
_ITEMS: tuple[Any, ...] = (None, [], {}, [{}])
_ANSWERS = (*({"path": [], "to": one} for one in _ANSWERED), *({"path": ["items"], "to": one} for one in _ITEMS))
_GROUP = {"group": ["metrics.k8s.io"]}
_TO_METRICS = (
    (4, _with("load", load, _step("load"))),
    (2, _step("end-load", index=range(4))),
    (1, _step("scrape", rhythm=({}, {"period": 60}, {"period": 0}))),
    (1, _step("lose", pods=_PODS, which=[None], **_DURING)),
    (1, _step("lose", pods=_PODS, which=[None], container=CONTAINERS, **_DURING)),
    (1, _step("freeze", **_DURING)),
    (2, _step("alter", pods=_PODS, which=[None], edit=_EDITS, **_DURING)),
    (1, _step("garble", edit=_ANSWERS, **_GROUP, **_DURING)),
    (1, _step("unavailable", **_GROUP, **_DURING)),
)

# -- requests and watches ----------------------------------------------------------------------------------------------

_REQUESTS = (
    *[("patch", VPAS, "status", RECOMMENDER)] * 3,
    *[("patch", CHECKPOINTS, "", RECOMMENDER)] * 2,
    ("create", CHECKPOINTS, "", RECOMMENDER),
    ("list", CHECKPOINTS, "", RECOMMENDER),
    ("delete", CHECKPOINTS, "", RECOMMENDER),
    *[("list", "pods.metrics.k8s.io", "", RECOMMENDER)] * 2,
    ("get", "replicasets.apps", "scale", RECOMMENDER),
    ("get", "replicasets.apps", "scale", UPDATER),
    *[("create", "pods", "eviction", UPDATER)] * 4,
    *[("patch", "pods", "resize", UPDATER)] * 2,
    ("patch", "pods", "", UPDATER),
    *[("get", _LEASES, "", UPDATER)] * 2,
    *[("get", _LEASES, "", ADMISSION)] * 2,
    ("update", _LEASES, "", ADMISSION),
    *[("call", "webhooks", "", "apiserver")] * 4,
    ("create", "pods", "", "replicaset-controller"),
)
_REQUEST = st.sampled_from(
    [dict(zip(("verb", "resource", "subresource", "actor"), one, strict=True)) for one in _REQUESTS]
)
#: Any request of a program, and its last one. It may be about an event, which a running program would retry after a
#: random time.
_LAST = st.sampled_from(
    [
        {"actor": part, "subresource": None, "controllers": [part]}
        for part in (RECOMMENDER, RECOMMENDER, UPDATER, ADMISSION)
    ]
)
_TIMES = {"times": (LEFT_OUT, LEFT_OUT, 2, 3, 6, 30)}
_CODES = (409, 500, 500, 503, 429, 404, 403, 504)
_CONTROLLERS = (*([part] for part in PARTS), *([part] for part in PARTS), list(PARTS), ["replicaset"])
_EFFECT = {"effect": (False, True)}
_TO_REQUESTS = (
    (4, merged(_REQUEST, _step("error", code=_CODES, retry_after=(*[LEFT_OUT] * 4, 1), **_TIMES))),
    (1, merged(_REQUEST, _step("timeout", seconds=(5.0, 34.0), **_EFFECT, **_TIMES))),
    (2, merged(_REQUEST, _step("latency", seconds=(0.05, 1.0, 7.0, 20.0, 70.0), times=(1, 2, 4), **_EFFECT))),
    (1, merged(_REQUEST, _step("disconnect", **_EFFECT, **_TIMES))),
    (1, merged(_REQUEST, _step("crash-at", controllers=_CONTROLLERS, skip=range(3), **_EFFECT))),
    (2, merged(_LAST, _step("crash-at", skip=(0, 1, 2, 3, 5, 8, 13), **_EFFECT))),
    (2, _step("crash", controllers=_CONTROLLERS, seconds=(0.0, 5.0, 90.0))),
    (1, _step("expire-watch", resource=_WATCHED)),
    (1, _step("hold", resource=_WATCHED)),
    (1, _step("release", resource=_WATCHED)),
    (1, _step("lag", resource=_WATCHED, seconds=(0.0, 0.7, 5.0, 40.0))),
    (1, _step("drop-watch", resource=(*_WATCHED, "events"))),
)

step = weighted(
    (3, weighted(*_TO_PODS)), (2, weighted(*_TO_VPAS)), (2, weighted(*_TO_METRICS)), (3, weighted(*_TO_REQUESTS))
)
