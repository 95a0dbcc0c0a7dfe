"""Questions about restrictions: how many pods of a group may be evicted or resized."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions import pods
from lockstep.quality.oracle.questions.chance import maybe

_KINDS = ("ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job", "Game")
_LISTS = {
    "ReplicaSet": "replicaSets",
    "StatefulSet": "statefulSets",
    "DaemonSet": "daemonSets",
    "ReplicationController": "replicationControllers",
}
_MODES = ("Recreate", "Auto", "InPlaceOrRecreate", "InPlaceOrRecreate", "InPlace", "InPlace", "Initial", None)
_REASONS = ("Deferred", "Infeasible", "Error", "", "Whatever")


def draw(rng: random.Random) -> Any:
    """Pods of one or two controllers, and attempts on them in turn."""
    owners = [_owner(rng, f"owner-{index}") for index in range(rng.choice((1, 1, 1, 2)))]
    members = [owner for owner in owners for _ in range(rng.choice((1, 2, 3, 4, 5, 7, 10)))]
    found = [_pod(rng, index, owner) for index, owner in enumerate(members)]
    question: dict[str, Any] = {
        "vpa": _vpa(rng),
        "pods": found,
        **{name: [] for name in _LISTS.values()},
        "infeasible": {each["metadata"]["uid"]: _recommendation(rng) for each in found if rng.random() < 0.1},
        "minReplicas": rng.choice((2, 2, 1, 0, 5)),
        "tolerance": rng.choice((0.5, 0.5, 0.1, 0.8, 0.0, 1.0, 0.34, -0.5, 1.5)),
        "skipBudget": rng.random() < 0.3,
        "inPlace": rng.random() < 0.7,
        "refused": {f"web-{index}": True for index in range(len(found)) if rng.random() < 0.05},
        "acts": [rng.choice(("evict", "evict", "resize", "resize", "")) for _ in found],
    }
    for owner in owners:
        if owner["kind"] in _LISTS and rng.random() < 0.97:
            question[_LISTS[owner["kind"]]].append(_object(rng, owner, members.count(owner)))
    return question


def _owner(rng: random.Random, name: str) -> dict[str, Any]:
    return {"kind": rng.choice(_KINDS), "name": name, "apiVersion": "apps/v1", "uid": name, "controller": True}


def _object(rng: random.Random, owner: dict[str, Any], pods_now: int) -> dict[str, Any]:
    count = pods_now + rng.choice((0, 0, 0, 0, 1, -1, 3))
    wanted = maybe(rng, 0.97, count)
    made: dict[str, Any] = {"metadata": {"name": owner["name"], "namespace": "default"}}
    if owner["kind"] == "DaemonSet":
        made["status"] = pods.some(desiredNumberScheduled=wanted)
    else:
        made["spec"] = pods.some(replicas=wanted)
    return made


def _pod(rng: random.Random, index: int, owner: dict[str, Any]) -> dict[str, Any]:
    policy = {"resourceName": "cpu", "restartPolicy": rng.choice(("NotRequired", "RestartContainer"))}
    owners = [owner]
    if rng.random() < 0.05:
        other: dict[str, Any] = {"kind": "Other", "name": "other", "apiVersion": "v1", "uid": "other"}
        owners.insert(0, other | ({"controller": False} if rng.random() < 0.7 else {}))
    return {
        "metadata": pods.some(
            name=f"web-{index}",
            namespace="default",
            uid=f"uid-{index}",
            ownerReferences=owners,
            annotations=maybe(rng, 0.1, {"vpaCpuStartupBoost/app": "{}"}),
        ),
        "spec": {"containers": [pods.some(name="app", resizePolicy=maybe(rng, 0.4, [policy]))]},
        "status": {"phase": "Pending" if rng.random() < 0.12 else "Running", "conditions": _conditions(rng)},
    }


def _conditions(rng: random.Random) -> list[dict[str, Any]]:
    if rng.random() < 0.75:
        return []
    return [
        pods.some(
            type=rng.choice(("PodResizePending", "PodResizeInProgress", "Ready")),
            status=rng.choice(("True", "True", "True", "False")),
            reason=rng.choice(_REASONS),
            message=maybe(rng, 0.3, "Node didn't have enough resource"),
        )
        for _ in range(rng.choice((1, 1, 2)))
    ]


def _vpa(rng: random.Random) -> dict[str, Any]:
    policy = pods.some(updateMode=rng.choice(_MODES), minReplicas=maybe(rng, 0.2, rng.choice((1, 2, 4))))
    return {
        "metadata": {"name": "vpa", "namespace": "default"},
        "spec": {"updatePolicy": policy},
        "status": pods.some(recommendation=maybe(rng, 0.95, _recommendation(rng))),
    }


def _recommendation(rng: random.Random) -> dict[str, Any]:
    target = {"cpu": f"{rng.choice((90, 100, 110))}m", "memory": f"{rng.choice((90, 100, 110))}Mi"}
    return {"containerRecommendations": [{"containerName": "app", "target": target}]}
