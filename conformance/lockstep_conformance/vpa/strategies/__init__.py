"""Hypothesis strategies for VPA plans: specs, loads, bounds, edits, faults of all kinds.

Draws make generation slow, so tables of combinations replace several draws with one.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies.names import LEFT_OUT, any_of, rarely, weighted
from lockstep_conformance.plans.playing import Plan
from lockstep_conformance.vpa.strategies import autoscalers
from lockstep_conformance.vpa.strategies.loads import LOADS
from lockstep_conformance.vpa.strategies.names import WORKLOADS
from lockstep_conformance.vpa.strategies.open_choices import comparable
from lockstep_conformance.vpa.strategies.steps import step
from lockstep_conformance.vpa.strategies.workloads import BOUNDS
from lockstep_conformance.vpa.strategies.workloads import WORKLOADS as WORKLOADS_TO_BE

#: Seconds between loops, of the recommender and of the updater.
_INTERVALS = st.sampled_from(((60.0, 60.0), (60.0, 60.0), (60.0, 60.0), (120.0, 60.0), (60.0, 120.0), (300.0, 200.0)))
_RECOMMENDER = any_of(
    recommendation_margin_fraction=(LEFT_OUT, LEFT_OUT, 0.0, 0.5),
    pod_recommendation_min_memory_mb=(LEFT_OUT, LEFT_OUT, 10.0),
    target_cpu_percentile=(LEFT_OUT, LEFT_OUT, 0.5),
    memory_aggregation_interval=(LEFT_OUT, LEFT_OUT, 600.0),
    cpu_histogram_decay_half_life=(LEFT_OUT, LEFT_OUT, 900.0),
    checkpoints_gc_interval=(LEFT_OUT, 120.0),
    memory_saver=(*[LEFT_OUT] * 3, True),
)
_ROUNDING = any_of(
    humanize_memory=(*[LEFT_OUT] * 5, True),
    round_cpu_millicores=(*[LEFT_OUT] * 4, 50),
    round_memory_bytes=(*[LEFT_OUT] * 4, 2**20),
    cpu_integer_post_processor_enabled=(*[LEFT_OUT] * 5, True),
    container_recommendation_max_allowed_cpu=(*[LEFT_OUT] * 5, "300m"),
)
_UPDATER = any_of(
    eviction_tolerance=(LEFT_OUT, LEFT_OUT, 0.0, 1.0, 0.3),
    pod_update_threshold=(LEFT_OUT, LEFT_OUT, 0.02),
    in_recommendation_bounds_eviction_lifetime_threshold=(LEFT_OUT, 300.0, 1800.0),
    evict_after_oom_threshold=(LEFT_OUT, 60.0),
    use_admission_controller_status=(*[LEFT_OUT] * 4, False),
    in_place_skip_disruption_budget=(*[LEFT_OUT] * 4, True),
    min_replicas=(LEFT_OUT, 1, 1, 1),
)
_LIMITER = any_of(eviction_rate_limit=(*[LEFT_OUT] * 5, 0.05), eviction_rate_burst=(LEFT_OUT, 2))
_ADMISSION = any_of(webhook_failure_policy_fail=(*[LEFT_OUT] * 4, True), webhook_timeout_seconds=(LEFT_OUT, 5))
_GATES = any_of(
    InPlace=(LEFT_OUT, LEFT_OUT, True),
    PerVPAConfig=(LEFT_OUT, LEFT_OUT, True),
    CPUStartupBoost=(LEFT_OUT, LEFT_OUT, True),
)
_NAMES = st.sampled_from((("ant",), ("ant",), ("bee",), WORKLOADS))
_BEFORE = st.sampled_from((1.0, 2.0, 7.0, 40.0))
#: Seconds before the first step: usually enough that pods have been evicted by then. How many steps: lists of any size
#: would mostly be short ones.
_FIRST = st.sampled_from((0.0, 0.0, 130.0, 190.0, 400.0))
_LENGTH = st.sampled_from((1, 2, 3, 4, 4, 5, 6, 8))
_RHYTHM = weighted(
    (3, st.just({})),
    (1, any_of(period=(10, 30, 60), lag=(LEFT_OUT, 1, 15), kubelet=(LEFT_OUT, 10))),
    (1, st.just({"period": 0})),
)
_BOUNDS = rarely(st.just([]), BOUNDS, 3)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans with one or two workloads and their VPAs, sometimes one more, and up to eight steps."""
    names = draw(_NAMES)
    vpas = [{"name": name, "after": draw(_BEFORE), "spec": draw(autoscalers.SPECS[name])} for name in names]
    stray = draw(autoscalers.stray)
    if stray is not None:
        vpas.append({"name": "cat", "after": draw(_BEFORE), "spec": stray})
    plan = {
        "options": _flags(draw),
        "feature_gates": draw(_GATES),
        "rhythm": draw(_RHYTHM),
        "bounds": draw(_BOUNDS),
        "workloads": [draw(WORKLOADS_TO_BE[name]) for name in names],
        "vpas": vpas,
        "loads": [draw(load) for name in names for load in LOADS[name]],
        "first": draw(_FIRST),
        "steps": [draw(step) for _ in range(draw(_LENGTH))],
    }
    return comparable(plan)


def _flags(draw: st.DrawFn) -> dict[str, Any]:
    recommender, updater = draw(_INTERVALS)
    return {
        "recommender": {"recommender_interval": recommender, **draw(_RECOMMENDER), **draw(_ROUNDING)},
        "updater": {"updater_interval": updater, **draw(_UPDATER), **draw(_LIMITER)},
        "admission": draw(_ADMISSION),
    }
