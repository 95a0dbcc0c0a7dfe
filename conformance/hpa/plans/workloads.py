"""Workloads and their autoscalers in a plan: how they are made, edited and taken away."""

from __future__ import annotations

from typing import Any

from conformance.hpa.plans.stage import Stage, Step
from harness import objects
from harness.cluster import Cluster
from harness.world import InTurn, Lifecycle

HPAS = "horizontalpodautoscalers"


async def create_workload(stage: Stage, step: Step) -> None:
    """A ReplicaSet."""
    await new_workload(stage.cluster, step["workload"])


async def new_workload(cluster: Cluster, one: dict[str, Any]) -> None:
    """Make a ReplicaSet with labels of its own, containers with requests, and the lifecycles of its pods in turn.

    `requests` are those of a pod as a whole.
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


async def create_hpa(stage: Stage, step: Step) -> None:
    """An autoscaler, with a spec in wire form."""
    await new_hpa(stage.cluster, step["hpa"])


async def new_hpa(cluster: Cluster, one: dict[str, Any]) -> None:
    """Make an autoscaler."""
    await cluster.create({**objects.hpa(one["name"]), "spec": one["spec"]})


async def edit_hpa(stage: Stage, step: Step) -> None:
    """Merge something into an autoscaler's spec."""
    if name := _chosen(stage, HPAS, step):
        await stage.cluster.patch(HPAS, name, {"spec": step["spec"]})


async def delete_hpa(stage: Stage, step: Step) -> None:
    """An autoscaler goes."""
    if name := _chosen(stage, HPAS, step):
        await stage.cluster.delete(HPAS, name)


async def recreate_hpa(stage: Stage, step: Step) -> None:
    """An autoscaler goes, and comes back."""
    cluster = stage.cluster
    if name := _chosen(stage, HPAS, step):
        spec = cluster.get(HPAS, name)["spec"]
        await cluster.delete(HPAS, name)
        await cluster.run(step["seconds"])
        await new_hpa(cluster, {"name": name, "spec": spec})


async def scale(stage: Stage, step: Step) -> None:
    """Somebody sets the replicas of a workload."""
    if name := _chosen(stage, "replicasets", step):
        await stage.cluster.scale(name, step["replicas"])


async def delete_workload(stage: Stage, step: Step) -> None:
    """A workload goes."""
    if name := _chosen(stage, "replicasets", step):
        await stage.cluster.delete("replicasets", name, propagationPolicy=step["propagation"])


def _chosen(stage: Stage, resource: str, step: Step) -> str:
    """The name of one of the objects that there are, "" if there are none."""
    found = stage.cluster.list(resource)
    return str(found[step["index"] % len(found)]["metadata"]["name"]) if found else ""


async def foreign_pod(stage: Stage, step: Step) -> None:
    """A pod that no ReplicaSet has made, and that one may adopt."""
    app = objects.container("app", resources={"requests": {"cpu": "500m", "memory": "128Mi"}})
    await stage.cluster.create(objects.pod(step["name"], step["labels"], containers=[app]))
