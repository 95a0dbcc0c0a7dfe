"""What goes wrong with metrics in a plan: pods without any, odd values, odd answers, APIs that are not there."""

from __future__ import annotations

from typing import Any

from conformance.hpa.plans.stage import Stage, Step, Undo
from harness import metrics
from harness.metrics import MetricsError


async def lose(stage: Stage, step: Step) -> None:
    """A pod has no metrics."""
    options = {name: step[name] for name in ("container", "metric", "during") if name in step}
    stage.troubles.append(stage.cluster.metrics.lose(step["pods"], step["which"], **options))


async def freeze(stage: Stage, step: Step) -> None:
    """Metrics stay as they are: of a pod, or of all."""
    options = {name: step[name] for name in ("pods", "which", "metric", "during") if name in step}
    stage.troubles.append(stage.cluster.metrics.freeze(**options))


async def alter(stage: Stage, step: Step) -> None:
    """A pod's entry is odd."""
    options = {name: step[name] for name in ("metric", "during") if name in step}
    edit = _edit(step["edit"])
    stage.troubles.append(stage.cluster.metrics.alter(step["pods"], step["which"], edit, **options))


async def garble(stage: Stage, step: Step) -> None:
    """All answers of an API are odd."""
    edit = _edit(step["edit"])
    stage.troubles.append(stage.cluster.metrics.garble(step["group"], edit, during=step.get("during")))


def _edit(data: Any) -> Any:
    """An edit of the value at a path, or of the whole (`path` is empty). Where there is no such path, none."""
    path = data["path"]
    edit = metrics.put(*path, to=data["to"]) if "to" in data else metrics.drop(*path)

    def careful(document: Any) -> Any:
        try:
            return edit(document)
        except MetricsError:  # an earlier edit has taken out what this one is about
            return document

    return careful


async def unavailable(stage: Stage, step: Step) -> None:
    """Nobody answers for an API."""
    stage.troubles.append(stage.cluster.metrics.unavailable(step["group"], during=step.get("during")))


async def remove(stage: Stage, step: Step) -> None:
    """An API goes, until the end of all faults if no step serves it again."""
    group = step["group"]
    stage.cluster.metrics.remove(group)
    stage.troubles.append(Undo(lambda: stage.cluster.metrics.serve(group)))


async def serve(stage: Stage, step: Step) -> None:
    """An API is there, in certain versions."""
    stage.cluster.metrics.serve(step["group"], *step["versions"])
