"""Workloads in a plan: how they are created, scaled and deleted."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects
from lockstep.world import InTurn, Lifecycle
from lockstep_conformance.plans.autoscalers import chosen
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Stage


async def create_workload(stage: Stage, step: Step) -> None:
    """A ReplicaSet."""
    await new_workload(stage.cluster, step["workload"])


async def new_workload(cluster: Cluster, one: dict[str, Any]) -> None:
    """A ReplicaSet with its own labels, containers with requests, and lifecycles for its pods in turn.

    `requests` are pod-level requests.
    """
    lifecycles = [_lifecycle(fields) for fields in one["lifecycles"]]
    cluster.kubelet.lifecycles.for_owner(one["name"], InTurn(*lifecycles))
    containers = [
        objects.container(name, resources={"requests": requests}) for name, requests in one["containers"].items()
    ]
    whole = {"resources": {"requests": one["requests"]}} if "requests" in one else {}
    template = objects.pod_template(one["labels"], containers=containers, **whole)
    await cluster.create(objects.replica_set(one["name"], one["replicas"], labels=one["labels"], template=template))


def _lifecycle(fields: dict[str, Any]) -> Lifecycle:
    """A lifecycle from JSON, where tuples are lists."""
    made: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    if "flaps" in made:
        made["flaps"] = tuple((after, ready) for after, ready in made["flaps"])
    return Lifecycle(**made)


async def scale(stage: Stage, step: Step) -> None:
    """Set the replicas of a workload."""
    if name := chosen(stage, "replicasets", step):
        await stage.cluster.scale(name, step["replicas"])


async def delete_workload(stage: Stage, step: Step) -> None:
    """Delete a workload."""
    if name := chosen(stage, "replicasets", step):
        await stage.cluster.delete("replicasets", name, propagationPolicy=step["propagation"])


async def foreign_pod(stage: Stage, step: Step) -> None:
    """An orphan pod, which a ReplicaSet may adopt."""
    app = objects.container("app", resources={"requests": {"cpu": "500m", "memory": "128Mi"}})
    await stage.cluster.create(objects.pod(step["name"], step["labels"], containers=[app]))
