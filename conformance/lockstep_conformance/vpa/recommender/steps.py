"""Steps and queries that scenarios of the recommender share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep import Cluster, objects
from lockstep.metrics import each
from lockstep.objects.definitions import CHECKPOINTS, VPAS

RECOMMENDER = ("vpa-recommender", "replicaset")
#: The first loop runs one interval after the caches are filled, which takes 0.3 s. One second passes before the clock
#: of the scenario starts.
FIRST_LOOP = 59.3
INTERVAL = 60.0
Object = dict[str, Any]


def loop(number: int) -> float:
    """The moment of a loop, the first of which is number 1."""
    return FIRST_LOOP + (number - 1) * INTERVAL


async def serve(cluster: Cluster, replicas: int = 1, *, name: str = "web", **spec: Any) -> None:
    """A ReplicaSet that uses 100 millicores and 100 MiB for each pod, and its VPA; `spec` is the VPA's."""
    cluster.metrics.load(name, cpu=each("100m"), memory=each("100Mi"))
    await cluster.create(objects.replica_set(name, replicas), objects.vpa(name, **spec))


async def after_loop(cluster: Cluster, number: int) -> None:
    """Let time pass until shortly after a loop."""
    await cluster.run_until(loop(number) + 0.1)


def status(cluster: Cluster, name: str = "web", namespace: str = "default") -> Object:
    """The status of a VPA, empty if it has none."""
    found = cluster.get(VPAS, name, namespace).get("status")
    return found or {}


def recommendation(cluster: Cluster, container: str = "main", name: str = "web") -> Object | None:
    """The recommendation for a container; None without one."""
    made = (status(cluster, name).get("recommendation") or {}).get("containerRecommendations") or ()
    return next((one for one in made if one["containerName"] == container), None)


def target(cluster: Cluster, container: str = "main", name: str = "web") -> Object | None:
    """The target of a container; None without a recommendation."""
    found = recommendation(cluster, container, name)
    return None if found is None else found["target"]


def upper_bound(cluster: Cluster, container: str = "main", name: str = "web") -> Object | None:
    """The upper bound of a container; None without a recommendation."""
    found = recommendation(cluster, container, name)
    return None if found is None else found["upperBound"]


def condition(cluster: Cluster, kind: str, name: str = "web") -> str:
    """A condition in short, "True: the message"; "" without one of that type."""
    for one in status(cluster, name).get("conditions") or ():
        if one["type"] == kind:
            return f"{one['status']}: {one.get('message', '')}".removesuffix(": ")
    return ""


def moments(cluster: Cluster, verb: str, resource: str) -> list[float]:
    """When such requests were made, in seconds since the scenario began."""
    return [cluster.at(write) for write in cluster.writes(verb, resource)]


def checkpoint(cluster: Cluster, name: str = "web-main") -> Mapping[str, Any]:
    """The status of a checkpoint."""
    found: Mapping[str, Any] = cluster.get(CHECKPOINTS, name)["status"]
    return found
