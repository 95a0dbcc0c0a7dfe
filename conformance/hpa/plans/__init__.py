"""A generated HPA scenario as data: workloads, autoscalers and what metrics say, then steps.

A plan is plain JSON, so a difference that fuzzing has found can be saved under `fixtures/regressions/` and replayed.
Each step says how many seconds pass before it (`after`) and what is done (`do`). What happens to pods and to watches is
what a plan of the ReplicaSet controller can do, too. Steps choose pods by what can be observed of them, never by name:
see `harness.world.pick`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from conformance.hpa.plans import requests, signals, troubles, workloads
from conformance.hpa.plans.stage import Action, Stage, Step
from conformance.replicaset import plans as of_replica_sets
from harness.cluster import ApiFailure, Cluster
from harness.scenario import HpaOptions, Options

Plan = dict[str, Any]

#: The controllers that run.
CONTROLLERS = ("hpa", "replicaset")
#: Scales are written at whole multiples of so many seconds: after a conflict, client-go waits for 10 to 11 ms.
GRID = 0.05

_HPAS = "horizontalpodautoscalers.autoscaling"
_PARTS = ("options", "feature_gates", "rhythm", "workloads", "hpas", "signals", "steps")


def check(plan: Plan) -> None:
    """Raises ValueError if this is no plan: a part is missing, or a step is one that nobody knows."""
    missing = [name for name in _PARTS if name not in plan]
    if missing:
        raise ValueError(f"a plan has {', '.join(missing)}, and this one has not")
    for step in plan["steps"]:
        if not isinstance(step, dict) or step.get("do") not in ACTIONS or "after" not in step:
            raise ValueError(f"a step has `after`, and a `do` that is one of {', '.join(ACTIONS)}; this one is {step}")


def options(plan: Plan) -> Options:
    """How the controllers are configured for a plan."""
    return Options(hpa=HpaOptions(**plan["options"]), feature_gates=plan["feature_gates"])


async def play(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, end its faults, and let the controllers recover."""
    stage = Stage(cluster)
    await _prepare(stage, plan)
    for step in plan["steps"]:
        await cluster.run(step["after"])
        with suppress(ApiFailure):  # a step whose object has gone by then, or that validation refuses, is no step
            await ACTIONS[step["do"]](stage, step)
    await cluster.run(of_replica_sets.RELIST)
    await _end_faults(stage)
    await cluster.run(longest_window(plan) + 2 * options(plan).hpa.sync_period)
    await _rest(cluster)


async def _prepare(stage: Stage, plan: Plan) -> None:
    cluster = stage.cluster
    cluster.garbage_collector.delay = of_replica_sets.COLLECTION_DELAY
    cluster.network.absorb_jitter(GRID, verb="update", resource="replicasets.apps", subresource="scale")
    cluster.metrics.scrape(**plan["rhythm"])
    for signal in plan["signals"]:
        await signals.begin_signal(stage, {"signal": signal})
    for one in plan["workloads"]:
        await workloads.new_workload(cluster, one)
    for one in plan["hpas"]:
        await cluster.run(one["after"])
        with suppress(ApiFailure):
            await workloads.new_hpa(cluster, one)


async def _end_faults(stage: Stage) -> None:
    cluster = stage.cluster
    cluster.faults.clear()
    for trouble in stage.troubles:
        trouble.stop()
    for resource in ("pods", "replicasets.apps", _HPAS):
        cluster.network.set_lag(resource, 0.0)
        cluster.network.release(resource)
    await cluster.start()
    await cluster.run(0)


def longest_window(plan: Plan) -> float:
    """The longest stabilization window in a plan, in seconds."""
    specs = [one["spec"] for one in plan["hpas"]]
    specs += [step["hpa"]["spec"] if "hpa" in step else step.get("spec", {}) for step in plan["steps"]]
    windows = [float(options(plan).hpa.downscale_stabilization)]
    for spec in specs:
        rules = [one for one in (spec.get("behavior") or {}).values() if one]
        windows += [float(one.get("stabilizationWindowSeconds") or 0) for one in rules]
    return max(windows)


async def _rest(cluster: Cluster) -> None:
    """Without autoscalers, let the ReplicaSets come to rest: invariants about the end want that."""
    for one in cluster.list(workloads.HPAS):
        await cluster.delete(workloads.HPAS, one["metadata"]["name"])
    await cluster.run(of_replica_sets.AFTERMATH - of_replica_sets.REMINDER)
    await of_replica_sets.remind(cluster)
    await cluster.run(of_replica_sets.REMINDER)


def _as_with_replica_sets(name: str) -> Action:
    """A step that plans of the ReplicaSet controller have as well."""
    action = of_replica_sets.ACTIONS[name]

    async def act(stage: Stage, step: Step) -> None:
        await action(stage.cluster, step)

    return act


_SHARED = (
    "delete-pod",
    "relabel-pod",
    "fail-pod",
    "succeed-pod",
    "restart-container",
    "set-ready",
    "hold",
    "release",
    "lag",
    "drop-watch",
    "expire-watch",
)
ACTIONS: dict[str, Action] = {name: _as_with_replica_sets(name) for name in _SHARED} | {
    "create-workload": workloads.create_workload,
    "create-hpa": workloads.create_hpa,
    "edit-hpa": workloads.edit_hpa,
    "delete-hpa": workloads.delete_hpa,
    "recreate-hpa": workloads.recreate_hpa,
    "scale": workloads.scale,
    "delete-workload": workloads.delete_workload,
    "foreign-pod": workloads.foreign_pod,
    "signal": signals.begin_signal,
    "end-signal": signals.end_signal,
    "scrape": signals.scrape,
    "lose": troubles.lose,
    "freeze": troubles.freeze,
    "alter": troubles.alter,
    "garble": troubles.garble,
    "unavailable": troubles.unavailable,
    "remove-api": troubles.remove,
    "serve-api": troubles.serve,
    "error": requests.error,
    "timeout": requests.timeout,
    "latency": requests.latency,
    "disconnect": requests.disconnect,
    "crash-at": requests.crash_at,
    "crash": requests.crash,
}
