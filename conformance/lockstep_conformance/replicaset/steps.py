"""Steps and queries that several modules of scenarios share."""

from __future__ import annotations

from collections import Counter

from lockstep import Cluster, objects
from lockstep.scenarios.cluster import Object
from lockstep.trace.history import Write


async def adopted(
    cluster: Cluster, *pods: Object, name: str = "web", owner: Object | None = None, after: float = 0.0
) -> None:
    """Create pods with chosen names and states, and a ReplicaSet `name` with as many replicas, which adopts them.

    The pods must carry the label `app: NAME`; `after` seconds pass before the scenario goes on.
    """
    async with cluster.batch():
        await cluster.create(*pods)
    await cluster.create(objects.replica_set(name, len(pods), owner=owner))
    await cluster.run(after)


def deleted_pods(cluster: Cluster) -> list[str]:
    """The names of the pods that the controllers deleted, ordered by instant, then by name."""
    deletes = cluster.writes("delete", "pods", 200)
    return [write.name for write in sorted(deletes, key=lambda write: (write.at, write.name))]


def status_writes(cluster: Cluster, name: str = "web") -> list[Write]:
    """The updates of a ReplicaSet's status, refused ones included."""
    updates = cluster.writes("update", "replicasets.apps")
    return [write for write in updates if write.subresource == "status" and write.name == name]


def by_instant(cluster: Cluster, verb: str, code: int | None = None, resource: str = "pods") -> dict[float, int]:
    """How many requests of the controllers succeeded, or were refused, at each second since the scenario began."""
    return dict(Counter(cluster.at(write) for write in cluster.writes(verb, resource, code)))


async def touch(cluster: Cluster, name: str) -> None:
    """Make the controller sync a ReplicaSet, by a change that has no other effect."""
    await cluster.patch("replicasets", name, {"metadata": {"annotations": {"touched": str(cluster.now)}}})


async def delete_first(cluster: Cluster, owner: str) -> str:
    """Give one pod of a ReplicaSet the lowest deletion cost, so that it is the next to be deleted; its name."""
    name = str(cluster.kubelet.pick(cluster.pods(owner))["metadata"]["name"])
    cost = {"controller.kubernetes.io/pod-deletion-cost": "-1"}
    await cluster.patch("pods", name, {"metadata": {"annotations": cost}})
    return name


def reported(cluster: Cluster, field: str, name: str = "web") -> list[tuple[float, int]]:
    """When a count in the status changed, and to what. Of several changes in one instant, only the last."""
    at_end: dict[float, int] = {}
    for write in status_writes(cluster, name):
        if write.code == 200:
            at_end[round(cluster.at(write), 6)] = write.body["status"].get(field, 0)
    found: list[tuple[float, int]] = []
    for at, count in at_end.items():
        if count != (found[-1][1] if found else 0):
            found.append((at, count))
    return found
