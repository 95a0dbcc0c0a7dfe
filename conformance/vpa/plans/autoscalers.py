"""VPAs and their checkpoints in a plan: how they are made, edited and taken away."""

from __future__ import annotations

from typing import Any

from conformance.hpa.plans.stage import Stage, Step
from conformance.vpa.loop.steps import VPAS
from harness import objects
from harness.cluster import Cluster

_CHECKPOINTS = "verticalpodautoscalercheckpoints.autoscaling.k8s.io"


async def new_vpa(cluster: Cluster, one: dict[str, Any]) -> None:
    """Make a VPA with a spec in wire form."""
    await cluster.create({**objects.vpa(one["name"]), "spec": one["spec"]})


async def create_vpa(stage: Stage, step: Step) -> None:
    """A VPA comes."""
    await new_vpa(stage.cluster, step["vpa"])


async def edit_vpa(stage: Stage, step: Step) -> None:
    """Merge something into a VPA's spec."""
    if name := _chosen(stage, VPAS, step):
        await stage.cluster.patch(VPAS, name, {"spec": step["spec"]})


async def delete_vpa(stage: Stage, step: Step) -> None:
    """A VPA goes."""
    if name := _chosen(stage, VPAS, step):
        await stage.cluster.delete(VPAS, name)


async def recreate_vpa(stage: Stage, step: Step) -> None:
    """A VPA goes, and comes back."""
    cluster = stage.cluster
    if name := _chosen(stage, VPAS, step):
        spec = cluster.get(VPAS, name)["spec"]
        await cluster.delete(VPAS, name)
        await cluster.run(step["seconds"])
        await new_vpa(cluster, {"name": name, "spec": spec})


async def edit_checkpoint(stage: Stage, step: Step) -> None:
    """Somebody writes into a checkpoint."""
    if name := _chosen(stage, _CHECKPOINTS, step):
        await stage.cluster.patch(_CHECKPOINTS, name, {"status": step["status"]}, subresource="status")


async def delete_checkpoint(stage: Stage, step: Step) -> None:
    """A checkpoint goes."""
    if name := _chosen(stage, _CHECKPOINTS, step):
        await stage.cluster.delete(_CHECKPOINTS, name)


def _chosen(stage: Stage, resource: str, step: Step) -> str:
    """The name of one of the objects that there are, "" if there are none."""
    found = stage.cluster.list(resource)
    return str(found[step["index"] % len(found)]["metadata"]["name"]) if found else ""
