"""Hypothesis strategies for HPA plans: specs, loads, lifecycles, edits, faults of all kinds.

Draws make generation slow, so tables of combinations replace several draws with one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies import autoscalers, signals
from lockstep_conformance.hpa.strategies.names import LEFT_OUT, WORKLOADS, any_of, weighted
from lockstep_conformance.hpa.strategies.open_choices import comparable
from lockstep_conformance.hpa.strategies.signals import EXTERNAL_SERIES, LOADS, OBJECT_SERIES, POD_SERIES
from lockstep_conformance.hpa.strategies.steps import step
from lockstep_conformance.hpa.strategies.workloads import WORKLOADS as WORKLOADS_TO_BE
from lockstep_conformance.plans.playing import Plan

_OPTIONS = any_of(
    workers=(LEFT_OUT, LEFT_OUT, 1),
    sync_period=(10.0, LEFT_OUT, 10.0, 5.0, 10.0, 30.0),
    downscale_stabilization=(*[30.0, 0.0, 60.0] * 4, 15.0, 15.0, 120.0, LEFT_OUT),
    tolerance=(LEFT_OUT, LEFT_OUT, 0.0, 0.3),
    cpu_initialization_period=(60.0, 0.0, LEFT_OUT),
    initial_readiness_delay=(LEFT_OUT, 0.0),
)
_GATES = any_of(HPAConfigurableTolerance=(*[LEFT_OUT] * 5, False))
#: Whether to allow scaling to zero, and to request it.
_SCALE_TO_ZERO = st.sampled_from((False, False, False, True))
_NAMES = st.sampled_from(
    (*(("ant",), ("bee",), ("cat",)) * 3, *(("ant", "bee"), ("bee", "cat")) * 2, ("ant", "cat"), WORKLOADS)
)
_OWN = {name: autoscalers.spec(st.just(target)) for name, target in zip(WORKLOADS, autoscalers.TARGETS, strict=True)}
_STRAY = weighted((4, st.none()), (1, autoscalers.any_spec))
_SIGNALS = st.lists(signals.signal, max_size=2)
#: How many steps: lists of any size would mostly be short ones.
_LENGTH = st.sampled_from((1, 3, 4, 5, 5, 6, 6, 7, 8, 10))
#: Seconds before an autoscaler is created. Those created together are always synced in the order of a Go map.
_BEFORE = st.sampled_from((1.0, 1.0, 2.0, 3.5, 7.0, 0.0))
#: Whether a series that an HPA needs exists from the beginning.
_THERE = st.sampled_from((True,) * 15 + (False,))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans with one to three workloads and their autoscalers, sometimes one more, and up to ten steps."""
    names = draw(_NAMES)
    gates = draw(_GATES)
    hpas = [{"name": name, "after": draw(_BEFORE), "spec": draw(_OWN[name])} for name in names]
    if draw(_SCALE_TO_ZERO):
        gates = {**gates, "HPAScaleToZero": True}
        hpas = [{**one, "spec": _down_to_zero(one["spec"], draw(autoscalers.from_outside))} for one in hpas]
    stray = draw(_STRAY)
    if stray is not None:
        hpas.append({"name": "dog", "after": draw(_BEFORE), "spec": stray})
    loads = [draw(LOADS[name]) for name in names if draw(_THERE)]
    series = [draw(one) for one in _asked_for(hpas) if draw(_THERE)]
    plan = {
        "options": draw(_OPTIONS),
        "feature_gates": gates,
        "rhythm": draw(signals.rhythm),
        "workloads": [draw(WORKLOADS_TO_BE[name]) for name in names],
        "hpas": hpas,
        "signals": [*loads, *series, *draw(_SIGNALS)],
        "steps": [draw(step) for _ in range(draw(_LENGTH))],
    }
    return comparable(plan)


def _down_to_zero(spec: dict[str, Any], metric: Any) -> dict[str, Any]:
    """A spec that may scale to zero, which requires a metric that is not about pods."""
    return {**spec, "minReplicas": 0, "metrics": [metric, *spec.get("metrics", ())[1:]]}


def _asked_for(hpas: list[dict[str, Any]]) -> Iterator[Any]:
    """Strategies for the series that autoscalers need."""
    for one in hpas:
        for metric in one["spec"].get("metrics", ()):
            if metric["type"] == "Pods":
                yield POD_SERIES[metric["pods"]["metric"]["name"]]
            elif metric["type"] == "External":
                yield EXTERNAL_SERIES[metric["external"]["metric"]["name"]]
            elif metric["type"] == "Object":
                yield OBJECT_SERIES[_RESOURCES.get(metric["object"]["describedObject"]["kind"], "services")]


_RESOURCES = {"Service": "services", "ReplicaSet": "replicasets.apps", "Namespace": "namespaces"}
