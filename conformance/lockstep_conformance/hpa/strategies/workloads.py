"""Strategies for ReplicaSets and the lifecycles of their pods."""

from __future__ import annotations

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies.names import LABELS, LEFT_OUT, Dicts, any_of, merged, rarely

_USUAL = {"cpu": "500m", "memory": "128Mi"}
_CONTAINERS = (
    *[{"app": _USUAL}] * 9,
    *[{"app": {"cpu": "1", "memory": "128Mi"}}] * 3,
    {"app": {"cpu": "100m"}},
    {"app": {"memory": "64Mi"}},
    {"app": {}},
    *[{"app": _USUAL, "side": {"cpu": "100m", "memory": "32Mi"}}] * 5,
    {"app": _USUAL, "side": {}},
)
_LIFECYCLE = merged(
    any_of(
        start_after=(1.0, 1.0, 0.0, 6.0, 40.0),
        # never ready in the instant of its creation: upstream's ReplicaSet controller panics then (docs/findings.md)
        ready_after=(2.0, 2.0, 0.25, 10.0, 45.0, None, [2.0, 20.0, 70.0]),
        stop_after=(1.0, 0.0, 20.0, None),
    ),
    any_of(
        flaps=(*[LEFT_OUT] * 4, [[60.0, False]], [[30.0, False], [50.0, True]], [[20.0, False], [90.0, True]]),
        restarts=(*[LEFT_OUT] * 4, [50.0], [20.0, 60.0]),
        restart_for=(LEFT_OUT, 15.0),
        fails_after=(*[LEFT_OUT] * 9, 5.0, 50.0, [30.0, 90.0]),
        succeeds_after=(*[LEFT_OUT] * 9, 90.0),
    ),
)
_ORDINARY = {"start_after": 1.0, "ready_after": 2.0, "stop_after": 1.0}
#: Only the first two groups of pods may go wrong: a workload whose pods always fail never settles.
_LIFECYCLES = rarely(st.just([]), st.lists(_LIFECYCLE, min_size=1, max_size=2), 2).map(
    lambda in_turn: [*in_turn, _ORDINARY]
)


def _workload(name: str) -> Dicts:
    facts = any_of(
        name=[name],
        replicas=(1, 2, 3, 4, 1, 2, 3, 0, 2, 8),
        labels=[LABELS[name]],
        containers=_CONTAINERS,
        requests=(*[LEFT_OUT] * 9, {"cpu": "1"}, {"cpu": "1500m", "memory": "256Mi"}),
    )
    return st.tuples(facts, _LIFECYCLES).map(lambda drawn: {**drawn[0], "lifecycles": drawn[1]})


WORKLOADS = {name: _workload(name) for name in LABELS}
