"""Steps that scenarios of the closed loop share."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Options, RecommenderOptions, Tolerance, UpdaterOptions, VpaOptions, objects
from lockstep.metrics import each
from lockstep.objects.definitions import VPAS

LOOP = ("vpa-recommender", "vpa-updater", "vpa-admission", "replicaset")
#: The same, for scenarios about the updater.
UPDATES = ("vpa-updater", "vpa-recommender", "vpa-admission", "replicaset")
#: Upstream evicts any of several equal pods, so samples of old and new pods are added in a different order each time,
#: and their sums differ in the last bit.
SUMS = (Tolerance("*Histogram.totalWeight*", 1e-9),)
HOUR, DAY = 3600.0, 24 * 3600.0
Object = dict[str, Any]


def every(seconds: float, **flags: Any) -> Options:
    """Options: the interval of the recommender and the updater in seconds, and further `flags` of the updater."""
    return Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(recommender_interval=seconds),
            updater=UpdaterOptions(updater_interval=seconds, **flags),
        )
    )


async def serve(
    cluster: Cluster,
    replicas: int = 3,
    *,
    cpu: Any = "300m",
    memory: Any = "400Mi",
    requests: dict[str, str] | None = None,
    limits: dict[str, str] | None = None,
    **spec: Any,
) -> None:
    """A ReplicaSet that requests less than it uses, with its VPA; `spec` is the VPA's."""
    cluster.metrics.load("web", cpu=each(cpu), memory=each(memory))
    resources = {"requests": requests or {"cpu": "100m", "memory": "128Mi"}}
    if limits:
        resources["limits"] = limits
    template = objects.pod_template(objects.labels_of("web"), containers=[objects.container(resources=resources)])
    await cluster.create(objects.vpa(**spec), objects.replica_set("web", replicas, template=template))


def evictions(cluster: Cluster) -> list[float]:
    """When pods were evicted."""
    found = [write for write in cluster.writes("create", "pods", 201) if write.subresource == "eviction"]
    return [round(cluster.at(write), 1) for write in found]


def requests(cluster: Cluster) -> list[Object]:
    """The distinct requests of the pods."""
    found: list[Object] = []
    for pod in cluster.pods("web"):
        asked = (pod["spec"]["containers"][0].get("resources") or {}).get("requests") or {}
        if asked not in found:
            found.append(asked)
    return found


def target(cluster: Cluster) -> Object:
    """The target of the VPA."""
    status = cluster.get(VPAS, "web")["status"]
    found: Object = status["recommendation"]["containerRecommendations"][0]["target"]
    return found
