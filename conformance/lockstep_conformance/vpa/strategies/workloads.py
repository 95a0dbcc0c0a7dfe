"""Strategies for ReplicaSets, and for the bounds of their pods."""

from __future__ import annotations

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies.names import LEFT_OUT, Dicts, any_of, merged, weighted
from lockstep_conformance.vpa.strategies.names import WORKLOADS as NAMES

_SMALL = {"cpu": "100m", "memory": "128Mi"}
_LARGE = {"cpu": "2", "memory": "3Gi"}
_RESOURCES = (
    *[{"requests": _SMALL}] * 7,
    {"requests": _LARGE},
    {"requests": {"cpu": "100m"}},
    {"requests": {"memory": "500Mi"}},
    {},
    {"requests": _SMALL, "limits": {"cpu": "200m", "memory": "256Mi"}},
    {"requests": _SMALL, "limits": {"cpu": "333m", "memory": "300Mi"}},
    {"requests": _LARGE, "limits": _LARGE},
    {"limits": {"cpu": "500m", "memory": "512Mi"}},
    {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
)
_RESIZE_POLICY = [
    {"resourceName": "cpu", "restartPolicy": "NotRequired"},
    {"resourceName": "memory", "restartPolicy": "RestartContainer"},
]
_CONTAINER = any_of(resources=_RESOURCES, resizePolicy=(*[LEFT_OUT] * 5, _RESIZE_POLICY))
_CONTAINERS = weighted(
    (3, _CONTAINER.map(lambda main: {"main": main})),
    (2, st.tuples(_CONTAINER, _CONTAINER).map(lambda both: {"main": both[0], "side": both[1]})),
)
_LIFECYCLE = any_of(
    start_after=(1.0, 1.0, 1.0, 6.0), ready_after=(2.0, 2.0, 2.0, 45.0), stop_after=(1.0, 1.0, 1.0, 20.0)
)


def _workload(name: str) -> Dicts:
    facts = any_of(name=[name], replicas=(2, 3, 1, 4, 2, 3))
    parts = st.tuples(facts, _CONTAINERS, _LIFECYCLE)
    return parts.map(lambda drawn: {**drawn[0], "containers": drawn[1], "lifecycle": drawn[2]})


WORKLOADS = {name: _workload(name) for name in NAMES}
workload = weighted(*((1, one) for one in WORKLOADS.values()))

_BUDGET = any_of(
    kind=["PodDisruptionBudget"],
    pods=NAMES,
    budget=({"min_available": 1}, {"min_available": "50%"}, {"max_unavailable": 1}, {"max_unavailable": 0}),
)
_ITEM = any_of(
    kind=("Container", "Container", "Pod"),
    most=(LEFT_OUT, LEFT_OUT, {"cpu": "400m"}, {"memory": "600Mi"}, {"cpu": "3", "memory": "4Gi"}),
    least=(LEFT_OUT, LEFT_OUT, {"cpu": "50m", "memory": "64Mi"}, {"cpu": "150m"}),
)
_DEFAULTS = any_of(
    default=(LEFT_OUT, LEFT_OUT, {"cpu": "300m", "memory": "400Mi"}),
    default_request=(LEFT_OUT, LEFT_OUT, {"cpu": "200m", "memory": "300Mi"}),
)
_ITEMS = weighted(
    (2, _ITEM),
    (1, merged(_ITEM, _DEFAULTS).map(lambda item: {**item, "kind": "Container"})),
    (1, _ITEM.map(lambda item: {**item, "kind": "Container", "ratio": {"cpu": "2", "memory": "3"}})),
).map(lambda item: [item])
_LIMIT_RANGE = st.tuples(any_of(kind=["LimitRange"], name=["bounds"]), _ITEMS).map(
    lambda drawn: {**drawn[0], "items": drawn[1]}
)
bound = weighted((1, _BUDGET), (1, _LIMIT_RANGE))
BOUNDS = weighted((4, bound.map(lambda one: [one])), (1, st.tuples(_BUDGET, _LIMIT_RANGE).map(list)))
