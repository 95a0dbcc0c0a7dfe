"""Steps that scenarios of the updater share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep import Cluster, Options, UpdaterOptions, VpaOptions, objects
from lockstep.objects.definitions import VPAS

Object = dict[str, Any]

UPDATER = ("vpa-updater", "replicaset")
#: Second of the first loop: one interval after the caches are filled, which takes 0.1 s, starting one second before 0.
FIRST = 59.1
INTERVAL = 60.0
LEASE = "vpa-admission-controller"


def options(feature_gates: Mapping[str, bool] | None = None, **flags: Any) -> Options:
    """These flags of the updater, without a check of the admission controller's Lease unless they set it."""
    updater = UpdaterOptions(**{"use_admission_controller_status": False, **flags})
    return Options(vpa=VpaOptions(updater=updater, feature_gates=feature_gates or {}))


def loop(number: int) -> float:
    """A moment after that loop (the first is 1), when its writes have taken effect."""
    return FIRST + (number - 1) * INTERVAL + 0.9


def container(name: str = "main", requests: Mapping[str, str] | None = None, **fields: Any) -> Object:
    """A container that requests these resources, and has these limits if `limits` is given."""
    limits = fields.pop("limits", None)
    resources = {"requests": dict(requests or {}), "limits": dict(limits or {})}
    return objects.container(name, resources={key: value for key, value in resources.items() if value}, **fields)


def workload(name: str = "web", replicas: int = 4, *containers: Object, **template: Any) -> Object:
    """A ReplicaSet whose pods request 100m and 100Mi, or have these containers."""
    made = list(containers) or [container(requests={"cpu": "100m", "memory": "100Mi"})]
    labels = objects.labels_of(name)
    return objects.replica_set(name, replicas, template=objects.pod_template(labels, containers=made, **template))


async def recommend(cluster: Cluster, *recommendations: Object, name: str = "web") -> None:
    """Write a recommendation into the status of a VPA, as the recommender would."""
    await cluster.set_status(VPAS, name, objects.vpa_status(*recommendations))


def more(container_name: str = "main", cpu: str = "200m", memory: str = "200Mi") -> Object:
    """A recommendation far above requests of 100m and 100Mi."""
    target = {"cpu": cpu, "memory": memory}
    return objects.recommended(container_name, target=target)


def evictions(cluster: Cluster, code: int | None = None) -> list[tuple[float, str]]:
    """When which pods were evicted; if a code is given, only requests with that answer."""
    wanted = [write for write in cluster.writes("create", "pods") if write.subresource == "eviction"]
    return [(cluster.at(write), write.name) for write in wanted if code is None or write.code == code]


def times(happened: list[tuple[float, str]]) -> list[float]:
    """The times only."""
    return [at for at, _ in happened]


def counts(happened: list[tuple[float, str]]) -> dict[float, int]:
    """How many at each moment."""
    found: dict[float, int] = {}
    for at, _ in happened:
        found[at] = found.get(at, 0) + 1
    return found


def resizes(cluster: Cluster, code: int | None = None) -> list[tuple[float, str]]:
    """When which pods were resized; if a code is given, only requests with that answer."""
    wanted = [write for write in cluster.writes("patch", "pods") if write.subresource == "resize"]
    return [(cluster.at(write), write.name) for write in wanted if code is None or write.code == code]


def requests_of(cluster: Cluster, name: str = "web") -> list[dict[str, str]]:
    """The requests of the first containers of a workload's pods, as the kubelet reports them."""
    statuses = [pod["status"]["containerStatuses"][0] for pod in cluster.pods(name)]
    return [status["resources"]["requests"] for status in statuses]


async def fit_successors(cluster: Cluster, name: str = "web") -> None:
    """New pods request what `more` recommends from now on, as if the webhook had changed them.

    Without that, old and new pods are equally urgent from the second loop on, and which of them is evicted is
    undefined.
    """
    containers = [container(requests={"cpu": "200m", "memory": "200Mi"})]
    await cluster.patch("replicasets", name, {"spec": {"template": {"spec": {"containers": containers}}}})
