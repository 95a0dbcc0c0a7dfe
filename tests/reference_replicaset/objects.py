"""Wire-form objects for these tests."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]


class FixedClock:
    """A clock that stands still until it is set."""

    def __init__(self, now: int = 0) -> None:
        self.instant = now

    def now(self) -> int:
        return self.instant


def timestamp(seconds: int) -> str:
    """The instant `seconds` (below one hour) after the epoch, as `metav1.Time`."""
    return f"2000-01-01T00:{seconds // 60:02d}:{seconds % 60:02d}Z"


def owner_ref(name: str = "web", uid: str = "rs-uid", kind: str = "ReplicaSet") -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def make_pod(  # noqa: PLR0913 - one argument for each fact that a test varies
    name: str = "p",
    *,
    uid: str = "",
    owner: Object | None = None,
    labels: dict[str, str] | None = None,
    phase: str = "Running",
    ready: int | None = None,
    created: int | None = 0,
    deleted: bool = False,
    node: str = "node-1",
    cost: str | None = None,
    restarts: int = 0,
    version: str = "1",
    namespace: str = "default",
) -> Object:
    """A pod; `ready` and `created` are seconds after the epoch."""
    metadata: Object = {"name": name, "namespace": namespace, "uid": uid or f"uid-{name}", "resourceVersion": version}
    if created is not None:
        metadata["creationTimestamp"] = timestamp(created)
    if labels is not None:
        metadata["labels"] = labels
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    if deleted:
        metadata["deletionTimestamp"] = timestamp(1)
    if cost is not None:
        metadata["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
    status: Object = {"phase": phase}
    if ready is not None:
        status["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": timestamp(ready)}]
    if restarts:
        status["containerStatuses"] = [{"name": "main", "restartCount": restarts}]
    spec: Object = {"containers": [{"name": "main"}]}
    if node:
        spec["nodeName"] = node
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def make_rs(  # noqa: PLR0913 - as make_pod
    name: str = "web",
    *,
    uid: str = "rs-uid",
    replicas: int = 3,
    min_ready_seconds: int = 0,
    selector: Object | None = None,
    labels: dict[str, str] | None = None,
    deleted: bool = False,
    status: Object | None = None,
    generation: int = 1,
    owner: Object | None = None,
    version: str = "1",
) -> Object:
    labels = {"app": "web"} if labels is None else labels
    metadata: Object = {
        "name": name,
        "namespace": "default",
        "uid": uid,
        "resourceVersion": version,
        "generation": generation,
    }
    if deleted:
        metadata["deletionTimestamp"] = timestamp(1)
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    spec: Object = {
        "replicas": replicas,
        "selector": {"matchLabels": labels} if selector is None else selector,
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}]},
        },
    }
    if min_ready_seconds:
        spec["minReadySeconds"] = min_ready_seconds
    rs: Object = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}
    rs["status"] = {"replicas": 0} if status is None else status
    return rs
