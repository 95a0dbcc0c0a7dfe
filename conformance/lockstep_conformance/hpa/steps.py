"""Queries that several modules of scenarios share."""

from __future__ import annotations

from lockstep import Cluster
from lockstep.scenarios.cluster import Object
from lockstep.trace.history import Write

HPAS = "horizontalpodautoscalers"
#: AbleToScale of an HPA that has found its target, before it has a recommendation.
GOT_SCALE = ("True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")


def status(cluster: Cluster, name: str = "web") -> Object:
    """The status of an HPA."""
    return cluster.status(name, HPAS)


def counts(cluster: Cluster, name: str = "web") -> tuple[int, int]:
    """The status's currentReplicas and desiredReplicas."""
    found = status(cluster, name)
    return found.get("currentReplicas", 0), found["desiredReplicas"]


def condition(cluster: Cluster, kind: str, name: str = "web") -> tuple[str, str, str] | None:
    """A condition of an HPA: its status, reason and message; None without that type."""
    for one in status(cluster, name).get("conditions") or ():
        if one["type"] == kind:
            return one["status"], one["reason"], one["message"]
    return None


def reason(cluster: Cluster, kind: str, name: str = "web") -> str:
    """A condition of an HPA in short: "True ReadyForNewScale"; "" without that type."""
    found = condition(cluster, kind, name)
    return f"{found[0]} {found[1]}" if found else ""


def scale_writes(cluster: Cluster, name: str = "web", resource: str = "replicasets.apps") -> list[Write]:
    """The updates of a target's scale by the controllers under test, refused ones included."""
    updates = cluster.writes("update", resource)
    return [write for write in updates if write.subresource == "scale" and write.name == name]


def scales(cluster: Cluster, name: str = "web", resource: str = "replicasets.apps") -> list[tuple[float, int]]:
    """When a target was scaled, in seconds since the scenario began, and to how many replicas."""
    found = scale_writes(cluster, name, resource)
    return [(cluster.at(write), write.body["spec"].get("replicas", 0)) for write in found if not write.failed]


def messages(cluster: Cluster, reason: str) -> list[str]:
    """The messages of events with a given reason, in order; repeated ones once."""
    sent = cluster.writes("create", "events", 201)
    return [str(write.body["message"]) for write in sent if write.body["reason"] == reason]


def transitions(cluster: Cluster, kind: str, name: str = "web") -> list[tuple[float, str]]:
    """When a condition of an HPA changed, and to what in short ("True ReadyForNewScale"; "" once it is removed)."""
    found: list[tuple[float, str]] = []
    for write in cluster.writes("update", "horizontalpodautoscalers.autoscaling", 200):
        if write.name == name and write.subresource == "status":
            held = [one for one in write.body["status"].get("conditions") or () if one["type"] == kind]
            said = f"{held[0]['status']} {held[0]['reason']}" if held else ""
            if said != (found[-1][1] if found else ""):
                found.append((cluster.at(write), said))
    return found


def status_writes(cluster: Cluster, name: str = "web") -> list[Write]:
    """The updates of an HPA's status, refused ones included."""
    updates = cluster.writes("update", f"{HPAS}.autoscaling")
    return [write for write in updates if write.subresource == "status" and write.name == name]
