"""Pods as the ReplicaSet controller sees them: facts read once per object version.

A sync looks at every pod of a ReplicaSet, and most pods have not changed since the last sync. So what it needs to know
of a pod is worked out once per version of the object and kept in a `PodCache`. The predicates have upstream's names.

Source: pkg/controller/controller_utils.go (IsPodActive, IsPodTerminating, podReadyTime, maxContainerRestarts, PodKey),
pkg/api/v1/pod/util.go (IsPodReady), pkg/apis/core/helper (GetDeletionCostFromPodAnnotations).
"""

from __future__ import annotations

import re
from typing import Any

from lockstep.wire.gotime import parse_rfc3339
from lockstep.wire.meta import controller_of

#: Annotation that makes a pod cheaper or dearer to delete than its equals.
POD_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_DELETION_COST = re.compile(r"-[0-9]+|0|[1-9][0-9]*", re.ASCII)
_TERMINAL = ("Succeeded", "Failed")


class Pod:
    """One version of a pod. Times are nanoseconds since the virtual epoch, None for Go's zero time."""

    __slots__ = (
        "active",
        "creation_time",
        "deleting",
        "deletion_cost",
        "key",
        "label_set",
        "labels",
        "name",
        "namespace",
        "node_name",
        "object",
        "owner_uid",
        "phase",
        "ready",
        "ready_time",
        "restarts",
        "terminating",
        "uid",
    )

    def __init__(self, obj: dict[str, Any]) -> None:
        metadata, status = obj["metadata"], obj.get("status") or {}
        self.object = obj
        self.namespace: str = metadata.get("namespace", "")
        self.name: str = metadata["name"]
        self.uid: str = metadata["uid"]
        self.key = f"{self.namespace}/{self.name}"
        self.labels: dict[str, str] = metadata.get("labels") or {}
        self.label_set = frozenset(self.labels.items())
        controller_ref = controller_of(obj)
        #: The uid of its controller, None for an orphan.
        self.owner_uid: str | None = controller_ref["uid"] if controller_ref else None
        self.deleting = metadata.get("deletionTimestamp") is not None
        self.phase: str = status.get("phase", "")
        terminal = self.phase in _TERMINAL
        self.active = not terminal and not self.deleting
        self.terminating = not terminal and self.deleting
        self.ready, self.ready_time = _readiness(status)
        self.creation_time = _time(metadata.get("creationTimestamp"))
        self.node_name: str = (obj.get("spec") or {}).get("nodeName", "")
        self.deletion_cost = get_deletion_cost_from_pod_annotations(metadata.get("annotations") or {})
        self.restarts = max_container_restarts(obj)


class PodCache:
    """The `Pod` of the newest object version that a sync has met, by uid, until `forget`."""

    def __init__(self) -> None:
        self._pods: dict[str, Pod] = {}
        #: By the identity of the object, which cannot be another's while its pod is kept here.
        self._known: dict[int, Pod] = {}
        self._label_sets: dict[frozenset[tuple[str, str]], frozenset[tuple[str, str]]] = {}

    def __call__(self, objects: list[dict[str, Any]], before: list[Pod] | None = None) -> list[Pod]:
        """The pods of these objects, in their order. `before` is the last answer of its kind: most pods stay."""
        known = self._known.get
        if before is None or len(before) != len(objects):
            return [known(id(obj)) or self._read(obj) for obj in objects]
        return [
            pod if pod.object is obj else known(id(obj)) or self._read(obj)
            for pod, obj in zip(before, objects, strict=True)
        ]

    def _read(self, obj: dict[str, Any]) -> Pod:
        pod = Pod(obj)
        # One object per distinct set of labels makes the selector's memo a look-up by identity.
        pod.label_set = self._label_sets.setdefault(pod.label_set, pod.label_set)
        self.forget(obj)
        self._pods[pod.uid] = self._known[id(obj)] = pod
        return pod

    def forget(self, obj: dict[str, Any]) -> None:
        """The pod is gone from the informer's cache."""
        pod = self._pods.pop(obj["metadata"]["uid"], None)
        if pod is not None:
            del self._known[id(pod.object)]

    def __len__(self) -> int:
        return len(self._pods)


def is_pod_ready(obj: dict[str, Any]) -> bool:
    """Whether the pod's Ready condition is True."""
    return _readiness(obj.get("status") or {})[0]


def get_deletion_cost_from_pod_annotations(annotations: dict[str, str]) -> int:
    """The pod deletion cost; 0 if absent or invalid: a plus sign, leading zeros, or more than 32 bits."""
    text = annotations.get(POD_DELETION_COST)
    if text is None or not _DELETION_COST.fullmatch(text):
        return 0
    cost = int(text)
    return cost if -(2**31) <= cost < 2**31 else 0


def max_container_restarts(obj: dict[str, Any]) -> tuple[int, int]:
    """The most restarts of any container, and of any sidecar (an init container that always restarts)."""
    status = obj.get("status") or {}
    regular = max([c.get("restartCount", 0) for c in status.get("containerStatuses") or ()], default=0)
    init_statuses = status.get("initContainerStatuses")
    if not init_statuses:
        return regular, 0
    containers = (obj.get("spec") or {}).get("initContainers") or ()
    sidecars = {c["name"] for c in containers if c.get("restartPolicy") == "Always"}
    return regular, max((c.get("restartCount", 0) for c in init_statuses if c["name"] in sidecars), default=0)


def filter_active_pods(pods: list[Pod]) -> list[Pod]:
    """The pods that neither ended nor are being deleted."""
    return [pod for pod in pods if pod.active]


def filter_terminating_pods(pods: list[Pod]) -> list[Pod]:
    """The pods that are being deleted and whose containers may still run."""
    return [pod for pod in pods if pod.terminating]


def _readiness(status: dict[str, Any]) -> tuple[bool, int | None]:
    """Whether the first Ready condition is True, and since when."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready":
            ready = condition.get("status") == "True"
            return ready, _time(condition.get("lastTransitionTime")) if ready else None
    return False, None


def _time(text: str | None) -> int | None:
    return parse_rfc3339(text) if text else None
