"""Workloads in a plan: ReplicaSets whose pods request too little, too much, or nothing."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects
from lockstep.world import InTurn, Lifecycle
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Stage

_REPLICA_SETS = "replicasets.apps"


async def new_workload(cluster: Cluster, one: dict[str, Any]) -> None:
    """A ReplicaSet with these containers (name to fields); `lifecycle` is that of all its pods."""
    cluster.kubelet.lifecycles.for_owner(one["name"], InTurn(Lifecycle(**one["lifecycle"])))
    await cluster.create(objects.replica_set(one["name"], one["replicas"], template=_template(one)))


def _template(one: dict[str, Any]) -> dict[str, Any]:
    containers = [objects.container(name, **fields) for name, fields in one["containers"].items()]
    return objects.pod_template(objects.labels_of(one["name"]), containers=containers)


async def edit_workload(stage: Stage, step: Step) -> None:
    """Change the containers of a workload's future pods."""
    one = step["workload"]
    await stage.cluster.patch(_REPLICA_SETS, one["name"], {"spec": {"template": {"spec": _template(one)["spec"]}}})


async def scale(stage: Stage, step: Step) -> None:
    """Set the replicas of a workload."""
    await stage.cluster.scale(step["name"], step["replicas"])
