"""A generated scenario as data: what to create, then steps with the seconds that pass before each.

A plan is plain JSON, so a difference that fuzzing has found can be saved as a regression and replayed.
Steps choose pods by what can be observed of them, never by name: see `lockstep.world.pick`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lockstep import Cluster, Options, objects
from lockstep.world import InTurn, Lifecycle, pick
from lockstep_conformance.plans import playing
from lockstep_conformance.plans.playing import Plan, Step

Action = Callable[[Cluster, Step], Awaitable[None]]

#: The controllers that run.
CONTROLLERS = ("replicaset",)


def check(plan: Plan) -> None:
    """Raises ValueError if this is not a plan: a part is missing, or a step is unknown."""
    playing.check(plan, ("lifecycles", "owned", "replica_sets", "steps"), ACTIONS)


def options(_: Plan) -> Options:
    """The controllers' options for a plan: the defaults."""
    return Options()


async def play(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, end its faults, and let the controllers recover."""
    cluster.garbage_collector.delay = playing.COLLECTION_DELAY
    for name, in_turn in plan["lifecycles"].items():
        cluster.kubelet.lifecycles.for_owner(name, InTurn(*(_lifecycle(one) for one in in_turn)))
    if plan["owned"]:
        await cluster.create(objects.deployment("boss"))
    for one in plan["replica_sets"]:
        await _create_replica_set(cluster, one)
    await playing.carry_out(cluster, plan["steps"], lambda step: ACTIONS[step["do"]](cluster, step))
    playing.end_faults(cluster, ("pods", "replicasets.apps"))
    if cluster.find("resourcequotas", "quota") is not None:
        await cluster.delete("resourcequotas", "quota")
    await playing.restart(cluster)
    await playing.come_to_rest(cluster)


def _lifecycle(fields: dict[str, Any]) -> Lifecycle:
    """A lifecycle from JSON, where tuples are lists."""
    flaps = tuple((after, ready) for after, ready in fields.get("flaps", ()))
    ready_after = fields["ready_after"]
    if isinstance(ready_after, list):
        ready_after = tuple(ready_after)
    return Lifecycle(**{**fields, "flaps": flaps, "ready_after": ready_after})


async def _create_replica_set(cluster: Cluster, one: dict[str, Any]) -> None:
    labels = one["labels"]
    await cluster.create(
        objects.replica_set(
            one["name"],
            one["replicas"],
            selector={"matchLabels": one["selector"]},
            template=objects.pod_template(labels, terminationGracePeriodSeconds=one["grace"]),
            min_ready_seconds=one["min_ready_seconds"],
            owner=cluster.find("deployments", "boss"),
        )
    )


def _chosen(cluster: Cluster, step: Step) -> dict[str, Any] | None:
    candidates = cluster.pods(step.get("owner"))
    return pick(candidates, step["index"] % len(candidates)) if candidates else None


def _chosen_running(cluster: Cluster, step: Step) -> dict[str, Any] | None:
    running = [pod for pod in cluster.pods(step["owner"]) if pod["status"].get("phase") == "Running"]
    return pick(running, step["index"] % len(running)) if running else None


async def _create(cluster: Cluster, step: Step) -> None:
    await _create_replica_set(cluster, step["replica_set"])


async def _scale(cluster: Cluster, step: Step) -> None:
    await cluster.scale(step["name"], step["replicas"])


async def _delete_replica_set(cluster: Cluster, step: Step) -> None:
    await cluster.delete("replicasets", step["name"], propagationPolicy=step["propagation"])


async def _edit_min_ready(cluster: Cluster, step: Step) -> None:
    await cluster.patch("replicasets", step["name"], {"spec": {"minReadySeconds": step["seconds"]}})


async def _edit_template(cluster: Cluster, step: Step) -> None:
    await cluster.patch("replicasets", step["name"], {"spec": {"template": {"metadata": {"labels": step["labels"]}}}})


async def _foreign_pod(cluster: Cluster, step: Step) -> None:
    await cluster.create(objects.pod(step["name"], step["labels"]))


async def _delete_pod(cluster: Cluster, step: Step) -> None:
    if pod := _chosen(cluster, step):
        options = {} if step["grace"] is None else {"gracePeriodSeconds": step["grace"]}
        await cluster.delete("pods", pod["metadata"]["name"], **options)


async def _relabel_pod(cluster: Cluster, step: Step) -> None:
    if pod := _chosen(cluster, step):
        await cluster.patch("pods", pod["metadata"]["name"], {"metadata": {"labels": step["labels"]}})


async def _orphan_pod(cluster: Cluster, step: Step) -> None:
    if pod := _chosen(cluster, step):
        await cluster.patch("pods", pod["metadata"]["name"], {"metadata": {"ownerReferences": None}})


async def _deletion_cost(cluster: Cluster, step: Step) -> None:
    if pod := _chosen(cluster, step):
        cost = {"controller.kubernetes.io/pod-deletion-cost": step["cost"]}
        await cluster.patch("pods", pod["metadata"]["name"], {"metadata": {"annotations": cost}})


async def _fail_pod(cluster: Cluster, step: Step) -> None:
    if pod := _chosen_running(cluster, step):
        cluster.kubelet.fail(pod)
        await cluster.run(0)


async def _succeed_pod(cluster: Cluster, step: Step) -> None:
    if pod := _chosen_running(cluster, step):
        cluster.kubelet.succeed(pod)
        await cluster.run(0)


async def _restart_container(cluster: Cluster, step: Step) -> None:
    if pod := _chosen_running(cluster, step):
        cluster.kubelet.restart(pod)
        await cluster.run(0)


async def _set_ready(cluster: Cluster, step: Step) -> None:
    if pod := _chosen_running(cluster, step):
        cluster.kubelet.set_ready(pod, step["ready"])
        await cluster.run(0)


async def _error(cluster: Cluster, step: Step) -> None:
    cluster.faults.error(
        step["code"],
        retry_after=step["retry_after"],
        verb=step["verb"],
        resource=step["resource"],
        subresource=None,
        times=step["times"],
    )


async def _timeout(cluster: Cluster, step: Step) -> None:
    match = {"verb": step["verb"], "resource": step["resource"], "times": step["times"], "subresource": None}
    cluster.faults.timeout(after=5.0, effect=step["effect"], **match)


async def _latency(cluster: Cluster, step: Step) -> None:
    match = {"verb": step["verb"], "resource": step["resource"], "times": step["times"], "subresource": None}
    cluster.faults.latency(step["seconds"], effect_first=step["effect"], **match)


async def _disconnect(cluster: Cluster, step: Step) -> None:
    match = {"verb": step["verb"], "resource": step["resource"], "times": step["times"], "subresource": None}
    cluster.faults.disconnect(effect=step["effect"], **match)


async def _crash_at(cluster: Cluster, step: Step) -> None:
    match = {"verb": step["verb"], "resource": step["resource"], "skip": step["skip"], "subresource": None}
    cluster.crash_at(restart_after=2.0, effect=step["effect"], **match)


async def _expire_watch(cluster: Cluster, step: Step) -> None:
    await cluster.expire_watch(step["resource"], relist_at=cluster.now + playing.RELIST)


async def _hold(cluster: Cluster, step: Step) -> None:
    cluster.network.hold(step["resource"])


async def _release(cluster: Cluster, step: Step) -> None:
    cluster.network.release(step["resource"])
    await cluster.run(0)


async def _lag(cluster: Cluster, step: Step) -> None:
    cluster.network.set_lag(step["resource"], step["seconds"])


async def _drop_watch(cluster: Cluster, step: Step) -> None:
    # A watch that ends within a second of its start, without an event, makes client-go wait for a jittered time. So a
    # watch that began a moment ago, after a relist or a restart, is not broken.
    known = cluster.network.relays(step["resource"])
    await cluster.run(1.5)
    if cluster.network.relays(step["resource"]) == known:
        await cluster.drop_watch(step["resource"])


async def _crash(cluster: Cluster, step: Step) -> None:
    await cluster.crash()
    await cluster.run(step["seconds"])
    await cluster.start()


async def _quota(cluster: Cluster, step: Step) -> None:
    quota = objects.resource_quota("quota", {"pods": str(step["pods"])})
    if cluster.find("resourcequotas", "quota") is None:
        await cluster.create(quota)
    else:
        await cluster.patch("resourcequotas", "quota", {"spec": quota["spec"]})


async def _garbage_collector(cluster: Cluster, step: Step) -> None:
    cluster.garbage_collector.enabled = step["enabled"]


ACTIONS: dict[str, Action] = {
    "create": _create,
    "scale": _scale,
    "delete-replica-set": _delete_replica_set,
    "edit-min-ready": _edit_min_ready,
    "edit-template": _edit_template,
    "foreign-pod": _foreign_pod,
    "delete-pod": _delete_pod,
    "relabel-pod": _relabel_pod,
    "orphan-pod": _orphan_pod,
    "deletion-cost": _deletion_cost,
    "fail-pod": _fail_pod,
    "succeed-pod": _succeed_pod,
    "restart-container": _restart_container,
    "set-ready": _set_ready,
    "error": _error,
    "timeout": _timeout,
    "latency": _latency,
    "disconnect": _disconnect,
    "crash-at": _crash_at,
    "expire-watch": _expire_watch,
    "hold": _hold,
    "release": _release,
    "lag": _lag,
    "drop-watch": _drop_watch,
    "crash": _crash,
    "quota": _quota,
    "garbage-collector": _garbage_collector,
}
