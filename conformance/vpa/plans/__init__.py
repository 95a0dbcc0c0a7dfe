"""A generated VPA scenario as data: workloads, VPAs, what pods use, then steps, with all parts of the VPA at work.

A plan is plain JSON, so a difference that fuzzing has found can be saved under `fixtures/regressions/` and replayed.
`first` are the seconds before the steps; each step says how many more pass before it (`after`) and what is done (`do`).
What happens to pods, watches and requests is what plans of the other controllers can do, too. Steps choose pods by what
can be observed of them, never by name: see `harness.world.pick`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from conformance.hpa.plans import requests, signals, troubles
from conformance.hpa.plans.stage import Action, Stage, Step
from conformance.replicaset import plans as of_replica_sets
from conformance.vpa.loop.steps import LOOP, SUMS, VPAS
from conformance.vpa.plans import autoscalers, bounds, loads, pods, workloads
from harness.cluster import ApiFailure, Cluster
from harness.scenario import AdmissionOptions, Options, RecommenderOptions, UpdaterOptions, VpaOptions

Plan = dict[str, Any]

#: The controllers that run.
CONTROLLERS = LOOP
#: What may differ in the last bit.
TOLERANCE = SUMS
#: Loops that the recommender and the updater make after all faults have ended.
LOOPS_AT_REST = 3

_WATCHED = ("pods", "replicasets.apps", "limitranges", "events", VPAS)
_PARTS = ("options", "feature_gates", "rhythm", "bounds", "workloads", "vpas", "loads", "first", "steps")


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
    flags = plan["options"]
    return Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(**flags.get("recommender", {})),
            updater=UpdaterOptions(**flags.get("updater", {})),
            admission=AdmissionOptions(**flags.get("admission", {})),
            feature_gates=plan["feature_gates"],
        )
    )


async def play(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, end its faults, and let the controllers recover."""
    stage = Stage(cluster)
    await _prepare(stage, plan)
    await cluster.run(plan["first"])
    for step in plan["steps"]:
        await cluster.run(step["after"])
        with suppress(ApiFailure):  # a step whose object has gone by then, or that validation refuses, is no step
            await ACTIONS[step["do"]](stage, step)
    await cluster.run(of_replica_sets.RELIST)
    await _end_faults(stage)
    flags = options(plan).vpa
    interval = max(flags.recommender.recommender_interval, flags.updater.updater_interval)
    await cluster.run(LOOPS_AT_REST * interval)
    await _rest(cluster)


async def _prepare(stage: Stage, plan: Plan) -> None:
    cluster = stage.cluster
    cluster.garbage_collector.delay = of_replica_sets.COLLECTION_DELAY
    cluster.metrics.scrape(**plan["rhythm"])
    for one in plan["bounds"]:
        await cluster.create(bounds.made(one))
    for one in plan["loads"]:
        stage.signals.append(loads.begin(cluster, one))
    for one in plan["workloads"]:
        await workloads.new_workload(cluster, one)
    for one in plan["vpas"]:
        await cluster.run(one["after"])
        with suppress(ApiFailure):
            await autoscalers.new_vpa(cluster, one)


async def _end_faults(stage: Stage) -> None:
    cluster = stage.cluster
    cluster.faults.clear()
    cluster.kubelet.resizing = None
    for trouble in stage.troubles:
        trouble.stop()
    for resource in _WATCHED:
        cluster.network.set_lag(resource, 0.0)
        cluster.network.release(resource)
    await cluster.start()
    await cluster.run(0)


async def _rest(cluster: Cluster) -> None:
    """Without VPAs and bounds, let the ReplicaSets come to rest: invariants about the end want that."""
    for resource in (VPAS, *bounds.RESOURCES):
        for one in cluster.list(resource):
            await cluster.delete(resource, one["metadata"]["name"])
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
    "fail-pod",
    "restart-container",
    "set-ready",
    "hold",
    "release",
    "lag",
    "drop-watch",
    "expire-watch",
)
ACTIONS: dict[str, Action] = {name: _as_with_replica_sets(name) for name in _SHARED} | {
    "wait": pods.wait,
    "oom-kill": pods.oom_kill,
    "evict-by-kubelet": pods.evict_by_kubelet,
    "resizes": pods.resizes,
    "edit-workload": workloads.edit_workload,
    "scale": workloads.scale,
    "create-vpa": autoscalers.create_vpa,
    "edit-vpa": autoscalers.edit_vpa,
    "delete-vpa": autoscalers.delete_vpa,
    "recreate-vpa": autoscalers.recreate_vpa,
    "edit-checkpoint": autoscalers.edit_checkpoint,
    "delete-checkpoint": autoscalers.delete_checkpoint,
    "bound": bounds.bound,
    "unbound": bounds.unbound,
    "load": loads.begin_load,
    "end-load": signals.end_signal,
    "scrape": signals.scrape,
    "lose": troubles.lose,
    "freeze": troubles.freeze,
    "alter": troubles.alter,
    "garble": troubles.garble,
    "unavailable": troubles.unavailable,
    "error": requests.error,
    "timeout": requests.timeout,
    "latency": requests.latency,
    "disconnect": requests.disconnect,
    "crash-at": requests.crash_at,
    "crash": requests.crash,
}
