"""Strategies for the specs of VPAs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lockstep import objects
from lockstep_conformance.hpa.strategies.names import LEFT_OUT, Dicts, Json, any_of, merged, rarely, weighted
from lockstep_conformance.vpa.strategies.names import WORKLOADS

_MODES = (*("Recreate", "InPlaceOrRecreate", "Auto", "InPlaceOrRecreate") * 3, "InPlace", "InPlace", "Initial", "Off")
_UP, _DOWN = "TargetHigherThanRequests", "TargetLowerThanRequests"
_REQUIREMENTS = (
    *[LEFT_OUT] * 12,
    [objects.eviction_requirement(_UP, "cpu")],
    [objects.eviction_requirement(_DOWN, "memory")],
    [objects.eviction_requirement(_UP, "cpu", "memory")],
    [objects.eviction_requirement(_UP, "cpu"), objects.eviction_requirement(_DOWN, "memory")],
)
#: Hypothesis prefers the first of many choices. So the choice that should vary most is last.
_UPDATE_POLICY = any_of(
    evictAfterOOMSeconds=(*[LEFT_OUT] * 5, 120),
    evictionRequirements=_REQUIREMENTS,
    minReplicas=(LEFT_OUT, LEFT_OUT, 1, 1, 3),
    updateMode=_MODES,
)
_POLICY = any_of(
    mode=(*[LEFT_OUT] * 4, "Off", "Auto"),
    minAllowed=(LEFT_OUT, LEFT_OUT, {"cpu": "200m"}, {"cpu": "50m", "memory": "300Mi"}),
    maxAllowed=(LEFT_OUT, LEFT_OUT, {"cpu": "250m", "memory": "500Mi"}, {"memory": "350Mi"}, {"cpu": "1"}),
    controlledResources=(*[LEFT_OUT] * 4, ["cpu"], ["memory"]),
    controlledValues=(LEFT_OUT, LEFT_OUT, "RequestsOnly", "RequestsAndLimits"),
)
_OF_RECOMMENDER = any_of(oomBumpUpRatio=(LEFT_OUT, "1.5"), oomMinBumpUp=(LEFT_OUT, "50Mi"))
#: The containers in policies.
_CONTAINERS = st.sampled_from((("*",), ("*",), ("main",), ("side",), ("*", "main"), ("side", "*"), ("main", "side")))
_RULES = rarely(_POLICY, merged(_POLICY, _OF_RECOMMENDER), 6)


@st.composite
def _policies(draw: st.DrawFn) -> dict[str, Any]:
    return {"containerPolicies": [{"containerName": name, **draw(_RULES)} for name in draw(_CONTAINERS)]}


_POLICIES = _policies()
_BOOST = any_of(
    cpu=(
        {"type": "Factor", "factor": 2, "durationSeconds": 60},
        {"type": "Quantity", "quantity": "200m", "durationSeconds": 200},
    )
).map(lambda boost: {"startupBoost": boost})
_RECOMMENDERS = (*[LEFT_OUT] * 8, [{"name": "default"}], [{"name": "other"}], *[LEFT_OUT] * 8)


def _spec(target: Json) -> Dicts:
    parts = st.tuples(
        target.map(lambda name: {"targetRef": objects.reference("ReplicaSet", name)}),
        rarely(_UPDATE_POLICY.map(lambda policy: {"updatePolicy": policy}), st.just({}), 6),
        weighted((3, st.just({})), (2, _POLICIES.map(lambda policy: {"resourcePolicy": policy}))),
        rarely(st.just({}), _BOOST, 8),
        any_of(recommenders=_RECOMMENDERS),
    )
    return parts.map(lambda drawn: {name: value for part in drawn for name, value in part.items()})


SPECS = {name: _spec(st.just(name)) for name in WORKLOADS}
any_spec = _spec(st.sampled_from((*WORKLOADS, "nobody")))
stray = rarely(st.none(), any_spec, 5)
_EDITS: list[dict[str, Any]] = [
    *({"updatePolicy": {"updateMode": mode}} for mode in dict.fromkeys(_MODES)),
    {"updatePolicy": None},
    {"updatePolicy": {"minReplicas": 1}},
    {"resourcePolicy": None},
    {"recommenders": [{"name": "other"}]},
    {"recommenders": None},
    {"targetRef": {"name": "nobody"}},
    {"targetRef": {"name": "bee"}},
    {"targetRef": {"name": "ant"}},
]
edit = weighted((1, st.sampled_from(_EDITS)), (1, _POLICIES.map(lambda policy: {"resourcePolicy": policy})))
