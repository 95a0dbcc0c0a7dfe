"""Steps that scenarios of the admission controller share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep import ApiFailure, Cluster, objects
from lockstep.objects.definitions import VPAS

ADMISSION = ("vpa-admission", "replicaset")
#: Seconds after which the admission controller is registered: ten after its start.
REGISTERED = 15.0
Object = dict[str, Any]


async def prepare(cluster: Cluster, vpa: Object, *recommendations: Object) -> None:
    """Wait until the webhook is registered, then create a VPA with these recommendations in its status."""
    await cluster.run_until(REGISTERED)
    await cluster.create(vpa)
    if recommendations:
        name, namespace = vpa["metadata"]["name"], vpa["metadata"].get("namespace", "default")
        status = objects.vpa_status(*recommendations)
        await cluster.set_status(VPAS, name, status, namespace)


def container(
    name: str = "main", *, requests: Mapping[str, str] | None = None, limits: Mapping[str, str] | None = None
) -> Object:
    """A container with these requests and limits."""
    made: Object = {"name": name, "image": "app:1"}
    given = {"requests": requests, "limits": limits}
    resources = {kind: dict(amounts) for kind, amounts in given.items() if amounts is not None}
    return {**made, "resources": resources} if resources else made


async def workload(cluster: Cluster, *containers: Object, name: str = "web", replicas: int = 1) -> Object:
    """Create a ReplicaSet with these containers. Returns its first pod as stored.

    Its pods are created a second later, so that the webhook's caches contain the owner and the VPA of each pod.
    """
    made = objects.replica_set(name, replicas=0)
    made["spec"]["template"]["spec"]["containers"] = list(containers)
    await cluster.create(made)
    await cluster.run(1)
    await cluster.scale(name, replicas)
    await cluster.run(1)
    return cluster.pods(name)[0]


def resources_of(pod: Object) -> list[Object]:
    """The resources of a pod's containers."""
    return [each.get("resources") or {} for each in pod["spec"]["containers"]]


def annotations_of(pod: Object) -> Object:
    """The VPA's annotations on a pod, with lists in random order sorted."""
    found = pod["metadata"].get("annotations") or {}
    told = {key: value for key, value in found.items() if key.startswith("vpa")}
    if "vpaUpdates" in told:
        head, _, parts = told["vpaUpdates"].partition(": ")
        sorted_parts = [_sorted(part) for part in parts.split("; ")]
        told["vpaUpdates"] = f"{head}: {'; '.join(sorted_parts)}"
    return told


def _sorted(part: str) -> str:
    head, _, listed = part.partition(": ")
    return f"{head}: {', '.join(sorted(listed.split(', ')))}"


async def refusal(cluster: Cluster, one: Object) -> tuple[int, str]:
    """Code and message of the refusal of an object; (0, "") if it is created."""
    try:
        await cluster.create(one)
    except ApiFailure as failure:
        return failure.code, str(failure.status.get("message", ""))
    return 0, ""
