"""Loads whose memory has consequences: the kernel kills a container that uses more than its limit."""

from __future__ import annotations

from collections.abc import Callable

from lockstep.metrics.curves import Curve
from lockstep.metrics.handles import MetricsError
from lockstep.metrics.loads import Load
from lockstep.time.clock import SECOND
from lockstep.world.memory import MemoryRule


def memory_rule(load: Load, start: Callable[[], int]) -> MemoryRule:
    """The memory that a load gives a container, for the kernel; `start` is the instant at which the scenario began.

    Raises MetricsError for a demand that pods share, and for one with noise: the usage of one container must not depend
    on the other pods.
    """
    usage = load.memory
    value, limit = usage.value, usage.at_most
    if usage.divided or usage.noise or not isinstance(value, Curve):
        raise MetricsError("load(oom=True): give memory=each(...), with neither noise nor per_ready")

    def use(instant: int, age: float) -> float:
        if not load.holds(instant):
            return 0.0
        amount = value((instant - start()) / SECOND)
        return (amount if limit is None else min(amount, limit)) + usage.grown(age)

    return MemoryRule(load.selection.namespace, dict(load.selection.labels), load.container, use)
