"""Checkpoints in a plan: changes by others than the recommender."""

from __future__ import annotations

from lockstep.objects.definitions import CHECKPOINTS
from lockstep_conformance.plans.autoscalers import chosen
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Stage


async def edit_checkpoint(stage: Stage, step: Step) -> None:
    """Change a checkpoint."""
    if name := chosen(stage, CHECKPOINTS, step):
        await stage.cluster.patch(CHECKPOINTS, name, {"status": step["status"]}, subresource="status")


async def delete_checkpoint(stage: Stage, step: Step) -> None:
    """Delete a checkpoint."""
    if name := chosen(stage, CHECKPOINTS, step):
        await stage.cluster.delete(CHECKPOINTS, name)
