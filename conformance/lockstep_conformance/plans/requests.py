"""What goes wrong between the controllers and the API server in a plan."""

from __future__ import annotations

from typing import Any

from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Action, Stage

_MATCH = ("verb", "resource", "subresource", "actor", "times", "skip")


def _match(step: Step) -> dict[str, Any]:
    return {name: step[name] for name in _MATCH if name in step}


async def _error(stage: Stage, step: Step) -> None:
    """Requests are refused."""
    stage.cluster.faults.error(step["code"], retry_after=step.get("retry_after"), **_match(step))


async def _timeout(stage: Stage, step: Step) -> None:
    """Requests get no answer in time."""
    stage.cluster.faults.timeout(after=step["seconds"], effect=step["effect"], **_match(step))


async def _latency(stage: Stage, step: Step) -> None:
    """Answers are late."""
    stage.cluster.faults.latency(step["seconds"], effect_first=step["effect"], **_match(step))


async def _disconnect(stage: Stage, step: Step) -> None:
    """Connections break."""
    stage.cluster.faults.disconnect(effect=step["effect"], **_match(step))


async def _crash_at(stage: Stage, step: Step) -> None:
    """A request is the last that a controller makes."""
    stage.cluster.crash_at(*step["controllers"], restart_after=2.0, effect=step["effect"], **_match(step))


async def _crash(stage: Stage, step: Step) -> None:
    """Controllers are gone for a while."""
    await stage.cluster.crash(*step["controllers"])
    await stage.cluster.run(step["seconds"])
    await stage.cluster.start(*step["controllers"])


ACTIONS: dict[str, Action] = {
    "error": _error,
    "timeout": _timeout,
    "latency": _latency,
    "disconnect": _disconnect,
    "crash-at": _crash_at,
    "crash": _crash,
}
