"""What pods use in a plan."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, metrics
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.signals import curve, usage
from lockstep_conformance.plans.stage import Ends, Stage


def begin(cluster: Cluster, data: dict[str, Any]) -> Ends:
    """From now on the pods `pods` use that much. Curves are as in plans of the HPA; `oom` kills what uses too much."""
    used = {resource: _usage(data[resource]) for resource in ("cpu", "memory") if resource in data}
    startup = metrics.spike(*data["startup"]) if "startup" in data else None
    options = {name: data[name] for name in ("container", "oom") if name in data}
    return cluster.metrics.load(data["pods"], startup=startup, **options, **used)


def _usage(data: dict[str, Any]) -> Any:
    if "growth" in data:
        return usage({**data, "growth": curve(data["growth"])})
    return usage(data)


async def begin_load(stage: Stage, step: Step) -> None:
    """Pods use so much from now on, in addition to what they use already."""
    stage.signals.append(begin(stage.cluster, step["load"]))
