"""Actions on pods in a VPA plan."""

from __future__ import annotations

from typing import Any

from lockstep.world import Resize, pick
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Stage


def _running(stage: Stage, step: Step) -> dict[str, Any] | None:
    running = [pod for pod in stage.cluster.pods(step["owner"]) if pod["status"].get("phase") == "Running"]
    return pick(running, step["index"] % len(running)) if running else None


async def wait(_: Stage, __: Step) -> None:
    """Only time passes."""


async def oom_kill(stage: Stage, step: Step) -> None:
    """A container runs out of memory; its `down` is the seconds until it runs again."""
    pod = _running(stage, step)
    if pod is not None:
        names = [one["name"] for one in pod["spec"]["containers"]]
        stage.cluster.kubelet.oom_kill(pod, names[step["container"] % len(names)], down=step["down"])
        await stage.cluster.run(0)


async def evict_by_kubelet(stage: Stage, step: Step) -> None:
    """A node is short of memory, and its kubelet evicts a pod whose containers each used this much."""
    pod = _running(stage, step)
    if pod is not None:
        usage = {one["name"]: step["usage"] for one in pod["spec"]["containers"]}
        stage.cluster.kubelet.evict(pod, usage)
        await stage.cluster.run(0)


async def resizes(stage: Stage, step: Step) -> None:
    """The outcome of all resizes from now on; None: as in the pods' lifecycles."""
    stage.cluster.kubelet.resizing = None if step["resize"] is None else Resize(**step["resize"])
