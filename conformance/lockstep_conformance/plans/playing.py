"""Playing a plan: step by step, then without faults until everything has settled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from lockstep import ApiFailure, Cluster

Plan = dict[str, Any]
Step = dict[str, Any]

#: Seconds that pass after the last step with all faults ended: longer than the longest back-off (1000 s).
AFTERMATH = 1100.0
#: Seconds before the end at which every ReplicaSet is touched.
REMINDER = 100.0
#: Seconds after a 410 Gone until the relist is answered: more than client-go's jittered back-off.
RELIST = 10.0
#: Seconds after which the garbage collector acts. A controller that does not see the deletion of its ReplicaSet
#: recreates collected pods: without this delay, for ever.
COLLECTION_DELAY = 2.0


def check(plan: Plan, parts: Iterable[str], actions: Iterable[str]) -> None:
    """Raises ValueError if this is not a plan: it lacks one of the parts, or a step has an unknown action."""
    missing = [name for name in parts if name not in plan]
    if missing:
        raise ValueError(f"a plan has {', '.join(missing)}, and this one has not")
    known = tuple(actions)
    for step in plan["steps"]:
        if not isinstance(step, dict) or step.get("do") not in known or "after" not in step:
            raise ValueError(f"a step has `after`, and a `do` that is one of {', '.join(known)}; this one is {step}")


async def carry_out(cluster: Cluster, steps: Iterable[Step], act: Callable[[Step], Awaitable[None]]) -> None:
    """Take one step after the other, and give relists the time they need."""
    for step in steps:
        await cluster.run(step["after"])
        with suppress(ApiFailure):  # a step whose object is gone, or that validation refuses, has no effect
            await act(step)
    await cluster.run(RELIST)  # what delays a relist must not end before the relist, whose instant is jittered


def end_faults(cluster: Cluster, watched: Iterable[str]) -> None:
    """Let requests through, and the events of what is watched."""
    cluster.faults.clear()
    for resource in watched:
        cluster.network.set_lag(resource, 0.0)
        cluster.network.release(resource)


async def restart(cluster: Cluster) -> None:
    """Start the controllers that are not running, and let all of them act."""
    if not cluster.controllers_running:
        await cluster.start()
    await cluster.run(0)


async def come_to_rest(cluster: Cluster, masters: Iterable[str] = (), patience: float = AFTERMATH - REMINDER) -> None:
    """Let the ReplicaSets settle: invariants about the end of a run require it.

    Objects of the resources `masters` are deleted first: they would keep changing ReplicaSets or pods. After `patience`
    seconds every ReplicaSet is touched.
    """
    for resource in masters:
        for one in cluster.list(resource):
            await cluster.delete(resource, one["metadata"]["name"])
    await cluster.run(patience)
    await _remind(cluster)
    await cluster.run(REMINDER)


async def _remind(cluster: Cluster) -> None:
    """Touch every ReplicaSet: upstream has no timer for unfulfilled expectations, so it takes an event."""
    for one in cluster.list("replicasets"):
        await cluster.patch("replicasets", one["metadata"]["name"], {"metadata": {"annotations": {"reminder": "yes"}}})
