"""Hypothesis strategies for ReplicaSet plans: overlapping selectors, foreign pods, edits, lifecycles, faults."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lockstep_conformance.plans.playing import Plan

_NAMES = ("ant", "bee", "cat")
#: Label sets in which one selects a subset of another: selectors overlap.
_LABELS = ({"app": "x"}, {"app": "x", "tier": "one"}, {"app": "y"})
_WORKLOADS = ("pods", "replicasets.apps")


def _fixed(action: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"do": st.just(action), "after": _AFTER, **fields})


_AFTER = st.sampled_from((0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 11.0, 61.0))
_NAME = st.sampled_from(_NAMES)
_INDEX = st.integers(0, 4)
_REPLICAS = st.integers(0, 6)
_OWNED = {"owner": _NAME, "index": _INDEX}
_VERB_RESOURCE = st.sampled_from(
    (
        ("create", "pods"),
        ("delete", "pods"),
        ("patch", "pods"),
        ("update", "replicasets.apps"),
        ("get", "replicasets.apps"),
    )
)


@st.composite
def _replica_set(draw: st.DrawFn, name: str | None = None) -> dict[str, Any]:
    selector = draw(st.sampled_from(_LABELS))
    return {
        "name": name or draw(_NAME),
        "replicas": draw(_REPLICAS),
        "selector": selector,
        "labels": {**selector, **draw(st.sampled_from(({}, {"tier": "one"})))},
        "min_ready_seconds": draw(st.sampled_from((0, 0, 0, 2, 10))),
        "grace": draw(st.sampled_from((0, 1, 30))),
    }


@st.composite
def _fault(draw: st.DrawFn, /, action: str, **fields: st.SearchStrategy[Any]) -> dict[str, Any]:
    verb, resource = draw(_VERB_RESOURCE)
    drawn = draw(_fixed(action, times=st.integers(1, 4), **fields))
    return {**drawn, "verb": verb, "resource": resource}


_LIFECYCLE = st.fixed_dictionaries(
    {
        "start_after": st.sampled_from((0.0, 1.0, 2.0)),
        # Never ready in the instant of its creation: that makes upstream panic (docs/findings.md).
        "ready_after": st.sampled_from((0.25, 1.0, 3.0, 8.0, None, [1.0, 3.0, 9.0])),
        "stop_after": st.sampled_from((0.0, 1.0, 4.0, None)),
    },
    optional={
        "flaps": st.sampled_from(([[6.0, False]], [[6.0, False], [9.0, True]])),
        "fails_after": st.sampled_from((0.5, 5.0)),
        "succeeds_after": st.sampled_from((2.0, 20.0)),
    },
)
_ORDINARY = {"start_after": 1.0, "ready_after": 2.0, "stop_after": 1.0}
#: Only the first two groups of pods may go wrong: an owner whose pods always fail never settles.
_LIFECYCLES = st.lists(_LIFECYCLE, max_size=2).map(lambda in_turn: [*in_turn, _ORDINARY])

_STEP = st.one_of(
    _fixed("scale", name=_NAME, replicas=_REPLICAS),
    _fixed("scale", name=_NAME, replicas=_REPLICAS),
    _fixed("delete-pod", grace=st.sampled_from((None, 0, 2)), **_OWNED),
    _fixed("fail-pod", **_OWNED),
    _fixed("succeed-pod", **_OWNED),
    _fixed("restart-container", **_OWNED),
    _fixed("set-ready", ready=st.booleans(), **_OWNED),
    _fixed("relabel-pod", labels=st.sampled_from((*_LABELS, {"app": "z"})), **_OWNED),
    _fixed("orphan-pod", **_OWNED),
    _fixed("deletion-cost", cost=st.sampled_from(("-5", "0", "7")), **_OWNED),
    _fixed("foreign-pod", name=st.sampled_from(("fox", "gnu")), labels=st.sampled_from(_LABELS)),
    _fixed("create", replica_set=_replica_set()),
    _fixed("delete-replica-set", name=_NAME, propagation=st.sampled_from(("Background", "Foreground", "Orphan"))),
    _fixed("edit-min-ready", name=_NAME, seconds=st.sampled_from((0, 3, 10))),
    _fixed("edit-template", name=_NAME, labels=st.sampled_from(({"tier": "two"}, {"extra": "yes"}))),
    _fault("error", code=st.sampled_from((409, 429, 500)), retry_after=st.sampled_from((None, 1))),
    _fault("timeout", effect=st.booleans()),
    _fault("latency", seconds=st.sampled_from((0.05, 1.0, 7.0)), effect=st.booleans()),
    _fault("disconnect", effect=st.booleans()),
    _fault("crash-at", effect=st.booleans(), skip=st.integers(0, 3)),
    _fixed("expire-watch", resource=st.sampled_from(_WORKLOADS)),
    _fixed("hold", resource=st.sampled_from(_WORKLOADS)),
    _fixed("release", resource=st.sampled_from(_WORKLOADS)),
    _fixed("lag", resource=st.sampled_from(_WORKLOADS), seconds=st.sampled_from((0.0, 0.3, 5.0, 301.0))),
    _fixed("drop-watch", resource=st.sampled_from(_WORKLOADS)),
    _fixed("crash", seconds=st.sampled_from((0.0, 1.0, 30.0))),
    _fixed("quota", pods=st.integers(0, 5)),
    _fixed("garbage-collector", enabled=st.booleans()),
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans with one to three ReplicaSets and up to twelve steps."""
    names = draw(st.lists(_NAME, min_size=1, max_size=3, unique=True))
    return {
        "lifecycles": {name: draw(_LIFECYCLES) for name in names},
        "owned": draw(st.booleans()),
        "replica_sets": [draw(_replica_set(name)) for name in names],
        "steps": draw(st.lists(_STEP, max_size=12)),
    }
