"""Behaviour that upstream leaves undefined, which plans must avoid.

- Some messages depend on the order of a Go map (see `trace.unordered`): the list of HPAs that select the same pods, and
  the name of the pod without a request, or without a container. The message is part of a condition. So each sync may or
  may not find that it has changed, and write a status. Traces hide that. But a fault of the next status write, or a
  stale cache after it, then affects a different sync in each run. The same happens if a sync takes longer than the
  period: the next one follows in the same instant, with the HPA from a stale cache, and its status write is refused if
  both write one.
- The RESTMapper is reset every 30 s by a timer. If an HPA is due in that very instant, either its sync or the next one
  asks discovery. So in plans with faults of discovery, HPAs are created at odd moments.
- After a restart all HPAs are due at one instant for good, in the order of a Go map. That order matters for HPAs that
  select the same pods, and for a fault of the next request. They are also due in the very instant of the RESTMapper's
  reset, whose timer fires before or after theirs; so a fault of discovery may hit either.
- Which of several equal pods is deleted in a scale-down. If they were measured with noise before one is deleted, the
  usage of the others differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from lockstep_conformance.hpa.strategies.names import LABELS
from lockstep_conformance.plans.playing import Plan, Step

_HPAS = "horizontalpodautoscalers.autoscaling"
_RESOURCES = {"cpu", "memory"}
_ACTOR = "horizontal-pod-autoscaler"
#: Added to whole or half seconds, it gives neither.
_ODD_MOMENT = 0.25


def comparable(plan: Plan) -> Plan:
    """The plan without the parts whose effect upstream leaves undefined."""
    steps = plan["steps"]
    ambiguous = _may_be_ambiguous(plan)
    if ambiguous:
        steps = [step for step in steps if not _ends_controller(step)]
    if ambiguous or _may_lack_requests(plan):
        steps = [step for step in steps if step.get("resource") != _HPAS and not _slows_syncs(step)]
    plan = {**plan, "steps": _without_faults_in_one_instant(steps, len(_names(plan)))}
    if any(_meets_discovery(step) for step in plan["steps"]):
        plan = _away_from_the_reset(plan)
    return plan if _measures_at_once(plan) else _without_noise(plan)


# -- one instant for all -----------------------------------------------------------------------------------------------


def _ends_controller(step: Step) -> bool:
    return "hpa" in step.get("controllers", ())


def _names(plan: Plan) -> set[str]:
    """All HPAs that may exist."""
    created = [step["hpa"]["name"] for step in plan["steps"] if step["do"] == "create-hpa"]
    return {one["name"] for one in plan["hpas"]} | set(created)


def _without_faults_in_one_instant(steps: list[Step], hpas: int) -> list[Step]:
    """If the HPA controller restarts: no faults of discovery, and afterwards none that hits only some HPAs."""
    first = next((place for place, step in enumerate(steps) if _ends_controller(step)), None)
    if first is None:
        return steps
    after = [step for step in steps[first + 1 :] if hpas == 1 or step.get("actor") != _ACTOR]
    return [step for step in (*steps[: first + 1], *after) if not _meets_discovery(step)]


def _meets_discovery(step: Step) -> bool:
    return step.get("resource") == ""


def _away_from_the_reset(plan: Plan) -> Plan:
    """The plan with all HPAs created a little later: the RESTMapper is reset at whole seconds."""
    first, *others = plan["hpas"]
    return {**plan, "hpas": [{**first, "after": first["after"] + _ODD_MOMENT}, *others]}


# -- messages ----------------------------------------------------------------------------------------------------------


def _slows_syncs(step: Step) -> bool:
    return step["do"] in ("latency", "timeout") and step.get("actor") == _ACTOR


def _may_be_ambiguous(plan: Plan) -> bool:
    """Whether two HPAs may select the same pods."""
    targets = {(name, spec["scaleTargetRef"]["name"]) for name, spec in _specs(plan) if "scaleTargetRef" in spec}
    return any(
        one[0] != other[0] and (one[1] == other[1] or _overlap(one[1], other[1]))
        for one, other in combinations(sorted(targets), 2)
    )


def _specs(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of HPAs, each with a spec, or part of one, that it has at some time."""
    for one in plan["hpas"]:
        yield one["name"], one["spec"]
    for step in plan["steps"]:
        if step["do"] == "create-hpa":
            yield step["hpa"]["name"], step["hpa"]["spec"]
        elif step["do"] == "edit-hpa":
            yield "any", step["spec"]


def _overlap(one: str, other: str) -> bool:
    """Whether one of two workloads has all the labels of the other."""
    ours, theirs = (set(LABELS.get(name, {"": name}).items()) for name in (one, other))
    return ours <= theirs or theirs <= ours


def _may_lack_requests(plan: Plan) -> bool:
    """Whether some container has no request for some resource, or does not exist."""
    created = [step["workload"] for step in plan["steps"] if "workload" in step]
    containers = [one["containers"] for one in (*plan["workloads"], *created)]
    metrics = [metric for _, spec in _specs(plan) for metric in spec.get("metrics", ())]
    wanted = [metric["containerResource"]["container"] for metric in metrics if "containerResource" in metric]
    return any(
        any(name not in one for name in wanted) or any(requests.keys() != _RESOURCES for requests in one.values())
        for one in containers
    )


# -- noise -------------------------------------------------------------------------------------------------------------


def _measures_at_once(plan: Plan) -> bool:
    """Whether answers always show the pods as of their own instant."""
    rhythms = [plan["rhythm"], *(step["rhythm"] for step in plan["steps"] if step["do"] == "scrape")]
    frozen = any(step["do"] == "freeze" for step in plan["steps"])
    return not frozen and all(rhythm.get("period") == 0 for rhythm in rhythms)


def _without_noise(plan: Plan) -> Plan:
    signals = [_even(one) for one in plan["signals"]]
    steps = [{**step, "signal": _even(step["signal"])} if "signal" in step else step for step in plan["steps"]]
    return {**plan, "signals": signals, "steps": steps}


def _even(signal: dict[str, Any]) -> dict[str, Any]:
    """The signal with the same usage for all pods that share it. Curves may still be noisy."""
    return {name: _without(value, "noise") if isinstance(value, dict) else value for name, value in signal.items()}


def _without(value: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: one for name, one in value.items() if name != field}
