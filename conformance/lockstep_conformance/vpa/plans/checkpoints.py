"""Checkpoints in a plan: what befalls them that is not the recommender's doing."""

from __future__ import annotations

from lockstep.objects.definitions import CHECKPOINTS
from lockstep_conformance.plans.autoscalers import chosen
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Stage


async def edit_checkpoint(stage: Stage, step: Step) -> None:
    """Somebody writes into a checkpoint."""
    if name := chosen(stage, CHECKPOINTS, step):
        await stage.cluster.patch(CHECKPOINTS, name, {"status": step["status"]}, subresource="status")


async def delete_checkpoint(stage: Stage, step: Step) -> None:
    """A checkpoint goes."""
    if name := chosen(stage, CHECKPOINTS, step):
        await stage.cluster.delete(CHECKPOINTS, name)
