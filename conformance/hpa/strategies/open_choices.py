"""What upstream leaves open, so that plans must keep it apart.

Some messages depend on the order of a Go map (`harness.trace.unordered`): the list of HPAs that select the same pods,
and which pod it is that requests nothing, or lacks a container. The message is part of a condition. So each sync may
find that it has changed, and write a status, or may not. Traces hide that. But then a fault that strikes the next
status write, or a cache that lags behind it, strikes this sync or that one, and no two runs are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from conformance.hpa.strategies.names import LABELS

_HPAS = "horizontalpodautoscalers.autoscaling"
_RESOURCES = {"cpu", "memory"}


def comparable(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan without faults that strike what upstream leaves open."""
    if not (_may_be_ambiguous(plan) or _may_lack_requests(plan)):
        return plan
    return {**plan, "steps": [step for step in plan["steps"] if step.get("resource") != _HPAS]}


def _may_be_ambiguous(plan: dict[str, Any]) -> bool:
    """Whether two HPAs may select the same pods."""
    targets = {(name, spec["scaleTargetRef"]["name"]) for name, spec in _specs(plan) if "scaleTargetRef" in spec}
    return any(
        one[0] != other[0] and (one[1] == other[1] or _overlap(one[1], other[1]))
        for one, other in combinations(sorted(targets), 2)
    )


def _specs(plan: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of HPAs, each with a spec, or a part of it, that it has at some time."""
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


def _may_lack_requests(plan: dict[str, Any]) -> bool:
    """Whether some container has no request for some resource, or does not exist."""
    created = [step["workload"] for step in plan["steps"] if "workload" in step]
    containers = [one["containers"] for one in (*plan["workloads"], *created)]
    metrics = [metric for _, spec in _specs(plan) for metric in spec.get("metrics", ())]
    wanted = [metric["containerResource"]["container"] for metric in metrics if "containerResource" in metric]
    return any(
        any(name not in one for name in wanted) or any(requests.keys() != _RESOURCES for requests in one.values())
        for one in containers
    )
