"""A generated VPA scenario as data: workloads, VPAs, the usage of pods, then steps, with all parts of the VPA running.

A plan is plain JSON, so a difference that fuzzing has found can be saved as a regression and replayed. `first` are the
seconds before the steps; each step has the further seconds before it (`after`) and its action (`do`). Actions on pods,
watches and requests are those of plans of the other controllers. Steps choose pods by what can be observed of them,
never by name: see `lockstep.world.pick`.
"""

from __future__ import annotations

from contextlib import suppress

from lockstep import (
    AdmissionOptions,
    ApiFailure,
    Cluster,
    Options,
    RecommenderOptions,
    UpdaterOptions,
    VpaOptions,
    objects,
)
from lockstep.objects.definitions import VPAS
from lockstep_conformance.plans import playing, requests, signals, troubles
from lockstep_conformance.plans.autoscalers import Autoscalers
from lockstep_conformance.plans.playing import Plan
from lockstep_conformance.plans.stage import Action, Stage, on_cluster
from lockstep_conformance.replicaset import plans as of_replica_sets
from lockstep_conformance.vpa.loop.steps import LOOP, SUMS
from lockstep_conformance.vpa.plans import bounds, checkpoints, loads, pods, workloads

#: The controllers that run.
CONTROLLERS = LOOP
#: Values that may differ in the last bit.
TOLERANCE = SUMS
#: Loops of the recommender and the updater after all faults have ended.
LOOPS_AT_REST = 3
#: Seconds at the end after which every ReplicaSet is touched: by then expectations have expired (5 min), and a touch
#: ends the wait of a back-off. A longer wait would only add renewals of a Lease, every 10 s.
PATIENCE = 310.0

_VPAS = Autoscalers("vpa", VPAS, objects.vpa)
_WATCHED = ("pods", "replicasets.apps", "limitranges", "events", VPAS)
_PARTS = ("options", "feature_gates", "rhythm", "bounds", "workloads", "vpas", "loads", "first", "steps")


def check(plan: Plan) -> None:
    """Raises ValueError if this is not a plan: a part is missing, or a step is unknown."""
    playing.check(plan, _PARTS, ACTIONS)


def options(plan: Plan) -> Options:
    """The controllers' options for a plan."""
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
    await playing.carry_out(cluster, plan["steps"], lambda step: ACTIONS[step["do"]](stage, step))
    playing.end_faults(cluster, _WATCHED)
    cluster.kubelet.resizing = None
    for trouble in stage.troubles:
        trouble.stop()
    await playing.restart(cluster)
    flags = options(plan).vpa
    interval = max(flags.recommender.recommender_interval, flags.updater.updater_interval)
    await cluster.run(LOOPS_AT_REST * interval)
    await playing.come_to_rest(cluster, (VPAS, *bounds.RESOURCES), PATIENCE)


async def _prepare(stage: Stage, plan: Plan) -> None:
    cluster = stage.cluster
    cluster.garbage_collector.delay = playing.COLLECTION_DELAY
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
            await _VPAS.new(cluster, one)


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
ACTIONS: dict[str, Action] = {
    **{name: on_cluster(of_replica_sets.ACTIONS[name]) for name in _SHARED},
    **_VPAS.actions(),
    **requests.ACTIONS,
    **troubles.ACTIONS,
    "wait": pods.wait,
    "oom-kill": pods.oom_kill,
    "evict-by-kubelet": pods.evict_by_kubelet,
    "resizes": pods.resizes,
    "edit-workload": workloads.edit_workload,
    "scale": workloads.scale,
    "edit-checkpoint": checkpoints.edit_checkpoint,
    "delete-checkpoint": checkpoints.delete_checkpoint,
    "bound": bounds.bound,
    "unbound": bounds.unbound,
    "load": loads.begin_load,
    "end-load": signals.end_signal,
    "scrape": signals.scrape,
}
