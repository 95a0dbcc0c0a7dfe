"""A generated scenario as data: what to create, then steps with the seconds that pass before each.

A plan is plain JSON, so a difference that fuzzing has found can be saved under `fixtures/regressions/` and replayed.
Steps choose pods by what can be observed of them, never by name: see `harness.world.pick`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from harness import objects
from harness.cluster import ApiFailure, Cluster
from harness.scenario import Options
from harness.world import InTurn, Lifecycle, pick

Plan = dict[str, Any]
Step = dict[str, Any]
Action = Callable[[Cluster, Step], Awaitable[None]]

#: The controllers that run.
CONTROLLERS = ("replicaset",)
#: Seconds that pass after the last step with all faults ended: longer than the longest back-off (1000 s).
AFTERMATH = 1100.0
#: Seconds before the end at which every ReplicaSet is touched.
REMINDER = 100.0
#: Seconds after a 410 Gone until the relist is answered: more than client-go's jittered back-off.
RELIST = 10.0
#: Seconds after which the garbage collector acts.
COLLECTION_DELAY = 2.0


def check(plan: Plan) -> None:
    """Raises ValueError if this is no plan: a part is missing, or a step is one that nobody knows."""
    missing = [name for name in ("lifecycles", "owned", "replica_sets", "steps") if name not in plan]
    if missing:
        raise ValueError(f"a plan has {', '.join(missing)}, and this one has not")
    for step in plan["steps"]:
        if not isinstance(step, dict) or step.get("do") not in ACTIONS or "after" not in step:
            raise ValueError(f"a step has `after`, and a `do` that is one of {', '.join(ACTIONS)}; this one is {step}")


def options(_: Plan) -> Options:
    """How the controllers are configured for a plan: as usual."""
    return Options()


async def play(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, end its faults, and let the controllers recover."""
    # A controller that does not see its ReplicaSet go recreates what is collected: without a delay, for ever.
    cluster.garbage_collector.delay = COLLECTION_DELAY
    for name, in_turn in plan["lifecycles"].items():
        cluster.kubelet.lifecycles.for_owner(name, InTurn(*(_lifecycle(one) for one in in_turn)))
    if plan["owned"]:
        await cluster.create(objects.deployment("boss"))
    for one in plan["replica_sets"]:
        await _create_replica_set(cluster, one)
    for step in plan["steps"]:
        await cluster.run(step["after"])
        with suppress(ApiFailure):  # a step whose object has gone by then, or that validation refuses, is no step
            await ACTIONS[step["do"]](cluster, step)
    await cluster.run(RELIST)  # what holds back a relist must not end before it: its instant is jittered
    await _end_faults(cluster)
    await cluster.run(AFTERMATH - REMINDER)
    await remind(cluster)
    await cluster.run(REMINDER)


async def remind(cluster: Cluster) -> None:
    """Touch every ReplicaSet: upstream has no timer for expectations that were never met, it takes an event."""
    for one in cluster.list("replicasets"):
        await cluster.patch("replicasets", one["metadata"]["name"], {"metadata": {"annotations": {"reminder": "yes"}}})


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


async def _end_faults(cluster: Cluster) -> None:
    cluster.faults.clear()
    for resource in ("pods", "replicasets.apps"):
        cluster.network.set_lag(resource, 0.0)
        cluster.network.release(resource)
    if cluster.find("resourcequotas", "quota") is not None:
        await cluster.delete("resourcequotas", "quota")
    if not cluster.controllers_running:
        await cluster.start()
    await cluster.run(0)


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
    await cluster.expire_watch(step["resource"], relist_at=cluster.now + RELIST)


async def _hold(cluster: Cluster, step: Step) -> None:
    cluster.network.hold(step["resource"])


async def _release(cluster: Cluster, step: Step) -> None:
    cluster.network.release(step["resource"])
    await cluster.run(0)


async def _lag(cluster: Cluster, step: Step) -> None:
    cluster.network.set_lag(step["resource"], step["seconds"])


async def _drop_watch(cluster: Cluster, step: Step) -> None:
    # A watch that ends within a second of its start, without an event, makes client-go wait for a jittered time.
    await cluster.run(1.5)
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
