"""The usage of pods in a plan."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, metrics
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.signals import curve, usage
from lockstep_conformance.plans.stage import Ends, Stage


def begin(cluster: Cluster, data: dict[str, Any]) -> Ends:
    """Set the usage of `pods` from now on. Curves are those of HPA plans; `oom` kills containers that use too much."""
    used = {resource: _usage(data[resource]) for resource in ("cpu", "memory") if resource in data}
    startup = metrics.spike(*data["startup"]) if "startup" in data else None
    options = {name: data[name] for name in ("container", "oom") if name in data}
    return cluster.metrics.load(data["pods"], startup=startup, **options, **used)


def _usage(data: dict[str, Any]) -> Any:
    if "growth" in data:
        return usage({**data, "growth": curve(data["growth"])})
    return usage(data)


async def begin_load(stage: Stage, step: Step) -> None:
    """Add this usage to that of the pods from now on."""
    stage.signals.append(begin(stage.cluster, step["load"]))
