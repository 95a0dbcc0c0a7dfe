"""What goes wrong between the controllers and the API server in a plan."""

from __future__ import annotations

from typing import Any

from conformance.hpa.plans.stage import Stage, Step
from conformance.replicaset.plans import RELIST

_MATCH = ("verb", "resource", "subresource", "actor", "times", "skip")
#: How many of the controllers watch a collection.
_WATCHERS = {"pods": 2}


def _match(step: Step) -> dict[str, Any]:
    return {name: step[name] for name in _MATCH if name in step}


async def error(stage: Stage, step: Step) -> None:
    """Requests are refused."""
    stage.cluster.faults.error(step["code"], retry_after=step.get("retry_after"), **_match(step))


async def timeout(stage: Stage, step: Step) -> None:
    """Requests get no answer in time."""
    stage.cluster.faults.timeout(after=step["seconds"], effect=step["effect"], **_match(step))


async def latency(stage: Stage, step: Step) -> None:
    """Answers are late."""
    stage.cluster.faults.latency(step["seconds"], effect_first=step["effect"], **_match(step))


async def disconnect(stage: Stage, step: Step) -> None:
    """Connections break."""
    stage.cluster.faults.disconnect(effect=step["effect"], **_match(step))


async def crash_at(stage: Stage, step: Step) -> None:
    """A request is the last that a controller makes."""
    stage.cluster.crash_at(*step["controllers"], restart_after=2.0, effect=step["effect"], **_match(step))


async def crash(stage: Stage, step: Step) -> None:
    """Controllers are gone for a while."""
    await stage.cluster.crash(*step["controllers"])
    await stage.cluster.run(step["seconds"])
    await stage.cluster.start(*step["controllers"])


async def expire_watch(stage: Stage, step: Step) -> None:
    """Watches end with 410 Gone. Lists are held until every back-off, which is jittered, is over."""
    cluster, resource = stage.cluster, step["resource"]
    until, times = cluster.instant(cluster.now + RELIST), _WATCHERS.get(resource, 1)
    held = [cluster.faults.hold_until(until, verb=verb, resource=resource, times=times) for verb in ("list", "watch")]
    cluster.network.expire(resource)
    await cluster.run(RELIST)
    for one in held:
        one.stop()
