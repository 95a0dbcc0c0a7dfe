"""What goes wrong with metrics in a plan: pods without metrics, odd values, odd answers, missing APIs."""

from __future__ import annotations

from typing import Any

from lockstep import metrics
from lockstep.metrics import MetricsError
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Action, Stage, Undo


async def _lose(stage: Stage, step: Step) -> None:
    """A pod loses its metrics."""
    options = {name: step[name] for name in ("container", "metric", "during") if name in step}
    stage.troubles.append(stage.cluster.metrics.lose(step["pods"], step["which"], **options))


async def _freeze(stage: Stage, step: Step) -> None:
    """Metrics stop changing: those of one pod, or all."""
    options = {name: step[name] for name in ("pods", "which", "metric", "during") if name in step}
    stage.troubles.append(stage.cluster.metrics.freeze(**options))


async def _alter(stage: Stage, step: Step) -> None:
    """A pod's entry is odd."""
    options = {name: step[name] for name in ("metric", "during") if name in step}
    edit = _edit(step["edit"])
    stage.troubles.append(stage.cluster.metrics.alter(step["pods"], step["which"], edit, **options))


async def _garble(stage: Stage, step: Step) -> None:
    """All answers of an API are odd."""
    edit = _edit(step["edit"])
    stage.troubles.append(stage.cluster.metrics.garble(step["group"], edit, during=step.get("during")))


def _edit(data: Any) -> Any:
    """An edit of the value at a path, or of the whole (empty `path`). Without such a path, nothing changes."""
    path = data["path"]
    edit = metrics.put(*path, to=data["to"]) if "to" in data else metrics.drop(*path)

    def careful(document: Any) -> Any:
        try:
            return edit(document)
        except MetricsError:  # an earlier edit has removed the value of this one
            return document

    return careful


async def _unavailable(stage: Stage, step: Step) -> None:
    """An API is unavailable."""
    stage.troubles.append(stage.cluster.metrics.unavailable(step["group"], during=step.get("during")))


async def _remove(stage: Stage, step: Step) -> None:
    """An API is removed: until the end of all faults, or until a step serves it again."""
    group = step["group"]
    stage.cluster.metrics.remove(group)
    stage.troubles.append(Undo(lambda: stage.cluster.metrics.serve(group)))


async def _serve(stage: Stage, step: Step) -> None:
    """An API is served, in certain versions."""
    stage.cluster.metrics.serve(step["group"], *step["versions"])


ACTIONS: dict[str, Action] = {
    "lose": _lose,
    "freeze": _freeze,
    "alter": _alter,
    "garble": _garble,
    "unavailable": _unavailable,
    "remove-api": _remove,
    "serve-api": _serve,
}
