"""One version of a pod, as a measurement sees it: which containers run, since when, and whether it is serving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep.metrics.handles import MetricsError
from lockstep.time.clock import parse_rfc3339
from lockstep.wire.pods import is_ready
from lockstep.world.canonical import canonical_order

Object = dict[str, Any]
_NO_LABELS: Mapping[str, str] = {}
#: The instant of pods that existed before they were followed.
ALWAYS = -1


@dataclass(frozen=True, slots=True)
class Selection:
    """Pods of one namespace with certain labels."""

    namespace: str
    labels: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, pods: str | Mapping[str, str], namespace: str) -> Selection:
        """Pods labelled `app: NAME`, or with all the labels given. Raises MetricsError if there are none."""
        labels = {"app": pods} if isinstance(pods, str) else pods
        if not labels or not all(isinstance(value, str) for value in labels.values()):
            raise MetricsError(f"{labels!r}: give at least one label, and text as its value")
        return cls(namespace, tuple(sorted(labels.items())))

    def matches(self, pod: PodView) -> bool:
        """Whether the pod is one of them."""
        return pod.namespace == self.namespace and all(pod.labels.get(key) == value for key, value in self.labels)

    @property
    def text(self) -> str:
        """As in a `labelSelector` parameter."""
        return ",".join(f"{key}={value}" for key, value in self.labels)


class PodView:
    """One version of a pod."""

    __slots__ = ("first", "labels", "name", "namespace", "node", "pod", "serving", "starts", "uid")

    def __init__(self, pod: Object, starts: tuple[tuple[str, int], ...]) -> None:
        meta = pod["metadata"]
        self.pod = pod
        self.uid: str = meta["uid"]
        self.namespace: str = meta["namespace"]
        self.name: str = meta["name"]
        self.labels: Mapping[str, str] = meta.get("labels") or _NO_LABELS
        self.node: str = pod["spec"].get("nodeName") or ""
        #: The first container in the spec.
        self.first: str = pod["spec"]["containers"][0]["name"]
        #: The containers that run, each with the instant of its start; empty unless the pod is Running.
        self.starts = starts
        #: Whether it gets traffic: it is ready and not being deleted.
        self.serving = bool(starts) and "deletionTimestamp" not in meta and is_ready(pod)

    @property
    def running(self) -> bool:
        """Whether the pod's phase is Running and at least one container runs."""
        return bool(self.starts)


def canonical(pods: Sequence[PodView]) -> list[PodView]:
    """The pods in canonical order (`lockstep.world.canonical`)."""
    if len(pods) < 2:
        return list(pods)
    by_uid = {pod.uid: pod for pod in pods}
    return [by_uid[pod["metadata"]["uid"]] for pod in canonical_order([pod.pod for pod in pods])]


# -- containers --------------------------------------------------------------------------------------------------------


def _running(pod: Object) -> Iterator[Object]:
    """The statuses of the containers that run: in order of the spec, sidecars behind the others."""
    status = pod.get("status") or {}
    if status.get("phase") == "Running":
        for one in (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())):
            if "running" in (one.get("state") or {}):
                yield one


def starts(pod: Object, before: PodView | None, now: int) -> tuple[tuple[str, int], ...]:
    """The running containers. One that ran before, and has not been restarted since, keeps its start."""
    known = dict(before.starts) if before is not None else {}
    restarts = _restarts(before.pod) if known and before is not None else {}
    return tuple(
        (one["name"], known[one["name"]])
        if one["name"] in known and restarts.get(one["name"]) == one.get("restartCount", 0)
        else (one["name"], now)
        for one in _running(pod)
    )


def _restarts(pod: Object) -> dict[str, int]:
    return {one["name"]: one.get("restartCount", 0) for one in _running(pod)}


def reported_starts(pod: Object) -> tuple[tuple[str, int], ...]:
    """The running containers of a pod whose start was not seen, with the start times from its status."""
    reported = ((one["name"], one["state"]["running"].get("startedAt")) for one in _running(pod))
    return tuple((name, parse_rfc3339(start) if start else ALWAYS) for name, start in reported)
