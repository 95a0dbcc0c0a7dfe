"""A generated HPA scenario as data: workloads, autoscalers and metrics, then steps.

A plan is plain JSON, so a difference that fuzzing has found can be saved as a regression and replayed. Each step has
the seconds that pass before it (`after`) and its action (`do`). Actions on pods and watches are those of a plan of the
ReplicaSet controller. Steps choose pods by what can be observed of them, never by name: see `lockstep.world.pick`.
"""

from __future__ import annotations

from contextlib import suppress

from lockstep import ApiFailure, Cluster, HpaOptions, Options, objects
from lockstep_conformance.hpa.plans import workloads
from lockstep_conformance.plans import playing, requests, signals, troubles
from lockstep_conformance.plans.autoscalers import Autoscalers
from lockstep_conformance.plans.playing import Plan
from lockstep_conformance.plans.stage import Action, Stage, on_cluster
from lockstep_conformance.replicaset import plans as of_replica_sets

#: The controllers that run.
CONTROLLERS = ("hpa", "replicaset")
#: Scales are written at multiples of this many seconds: after a conflict, client-go waits for 10 to 11 ms.
GRID = 0.05

_HPAS = Autoscalers("hpa", "horizontalpodautoscalers", objects.hpa)
_WATCHED = ("pods", "replicasets.apps", "horizontalpodautoscalers.autoscaling")
_PARTS = ("options", "feature_gates", "rhythm", "workloads", "hpas", "signals", "steps")


def check(plan: Plan) -> None:
    """Raises ValueError if this is not a plan: a part is missing, or a step is unknown."""
    playing.check(plan, _PARTS, ACTIONS)


def options(plan: Plan) -> Options:
    """The controllers' options for a plan."""
    return Options(hpa=HpaOptions(**plan["options"]), feature_gates=plan["feature_gates"])


async def play(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, end its faults, and let the controllers recover."""
    stage = Stage(cluster)
    await _prepare(stage, plan)
    await playing.carry_out(cluster, plan["steps"], lambda step: ACTIONS[step["do"]](stage, step))
    playing.end_faults(cluster, _WATCHED)
    for trouble in stage.troubles:
        trouble.stop()
    await playing.restart(cluster)
    await cluster.run(longest_window(plan) + 2 * options(plan).hpa.sync_period)
    await playing.come_to_rest(cluster, [_HPAS.resource])


async def _prepare(stage: Stage, plan: Plan) -> None:
    cluster = stage.cluster
    cluster.garbage_collector.delay = playing.COLLECTION_DELAY
    cluster.network.absorb_jitter(GRID, verb="update", resource="replicasets.apps", subresource="scale")
    cluster.metrics.scrape(**plan["rhythm"])
    for signal in plan["signals"]:
        await signals.begin_signal(stage, {"signal": signal})
    for one in plan["workloads"]:
        await workloads.new_workload(cluster, one)
    for one in plan["hpas"]:
        await cluster.run(one["after"])
        with suppress(ApiFailure):
            await _HPAS.new(cluster, one)


def longest_window(plan: Plan) -> float:
    """The longest stabilization window in a plan, in seconds."""
    specs = [one["spec"] for one in plan["hpas"]]
    specs += [step["hpa"]["spec"] if "hpa" in step else step.get("spec", {}) for step in plan["steps"]]
    windows = [float(options(plan).hpa.downscale_stabilization)]
    for spec in specs:
        rules = [one for one in (spec.get("behavior") or {}).values() if one]
        windows += [float(one.get("stabilizationWindowSeconds") or 0) for one in rules]
    return max(windows)


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
ACTIONS: dict[str, Action] = {
    **{name: on_cluster(of_replica_sets.ACTIONS[name]) for name in _SHARED},
    **_HPAS.actions(),
    **requests.ACTIONS,
    **troubles.ACTIONS,
    "create-workload": workloads.create_workload,
    "scale": workloads.scale,
    "delete-workload": workloads.delete_workload,
    "foreign-pod": workloads.foreign_pod,
    "signal": signals.begin_signal,
    "end-signal": signals.end_signal,
    "scrape": signals.scrape,
}
