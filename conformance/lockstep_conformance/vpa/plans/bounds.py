"""Bounds of pods in a plan: LimitRanges and PodDisruptionBudgets."""

from __future__ import annotations

from typing import Any

from lockstep import objects
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Stage

_BY_KIND = {"LimitRange": "limitranges", "PodDisruptionBudget": "poddisruptionbudgets.policy"}
#: Resources whose objects are bounds.
RESOURCES = tuple(_BY_KIND.values())


def made(one: dict[str, Any]) -> dict[str, Any]:
    """The object: a budget for the pods of the workload `pods`, or a LimitRange of these items. Raises KeyError."""
    makers = {
        "PodDisruptionBudget": lambda: objects.pdb(one["pods"], **one["budget"]),
        "LimitRange": lambda: objects.limit_range(one["name"], *(objects.limits(**item) for item in one["items"])),
    }
    return makers[one["kind"]]()


async def bound(stage: Stage, step: Step) -> None:
    """Create a bound, or replace the one with its name."""
    cluster, one = stage.cluster, made(step["bound"])
    resource, name = _BY_KIND[one["kind"]], one["metadata"]["name"]
    if cluster.find(resource, name) is not None:
        await cluster.delete(resource, name)
    await cluster.create(one)


async def unbound(stage: Stage, step: Step) -> None:
    """Delete all bounds of a kind."""
    for one in stage.cluster.list(step["resource"]):
        await stage.cluster.delete(step["resource"], one["metadata"]["name"])
