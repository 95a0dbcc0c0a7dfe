"""The status that a kubelet reports for a pod.

Upstream: pkg/kubelet/status/generate.go; status_manager.go, mergePodStatus.

It generates only the fields that a kubelet owns. Conditions of other writers are kept, in front of the kubelet's own.
"""

from __future__ import annotations

from typing import Any

from lockstep.world.api import Object
from lockstep.world.resizes import IN_PROGRESS, PENDING
from lockstep.world.runtime import Container, PodRuntime

#: The conditions that a kubelet owns (pkg/kubelet/types/pod_status.go).
_OWNED = frozenset(
    {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled", PENDING, IN_PROGRESS}
)
_DISRUPTED = "DisruptionTarget"
_TERMINAL_REASONS = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}
#: Status, reason and message of a condition.
Finding = tuple[str, str, str]
_TRUE: Finding = ("True", "", "")


def generate_status(pod: Object, runtime: PodRuntime, now: str) -> Object:
    """The kubelet's part of `pod`'s status. `now` is the node's clock, for what changes with this report."""
    old: Object = pod.get("status") or {}
    conditions = [one for one in old.get("conditions", ()) if one["type"] not in _OWNED]
    status: Object = {"phase": runtime.phase, "startTime": old.get("startTime") or now}
    generation = pod["metadata"].get("generation")
    if generation:
        status["observedGeneration"] = generation
    if runtime.reason:
        status["reason"] = runtime.reason
    if runtime.message:
        status["message"] = runtime.message
    if not runtime.rejected:  # a pod that was refused has neither conditions nor container statuses
        if runtime.disrupted:
            conditions = [*(one for one in conditions if one["type"] != _DISRUPTED), _disruption(runtime, old, now)]
        if runtime.resize_pending or runtime.resize_in_progress:
            conditions += _resize_conditions(runtime, old, now)
        conditions += _conditions(pod, runtime, old, generation, now)
        status["containerStatuses"] = [_container_status(one) for one in runtime.containers]
        if runtime.init_containers:
            status["initContainerStatuses"] = [_container_status(one) for one in runtime.init_containers]
    status["conditions"] = conditions
    return status


def _conditions(pod: Object, runtime: PodRuntime, old: Object, generation: Any, now: str) -> list[Object]:
    old_of: dict[str, Object] = {one["type"]: one for one in old.get("conditions", ())}
    containers_ready = _containers_ready(runtime)
    findings = {
        "PodReadyToStartContainers": ("True" if runtime.running else "False", "", ""),
        "Initialized": _initialized(runtime),
        "Ready": _ready(pod, containers_ready, old_of),
        "ContainersReady": containers_ready,
        "PodScheduled": _TRUE,
    }
    conditions = []
    for kind, (status, reason, message) in findings.items():
        before = old_of.get(kind)
        unchanged = before is not None and before["status"] == status
        condition: Object = {"type": kind, "status": status}
        condition["lastTransitionTime"] = before["lastTransitionTime"] if before is not None and unchanged else now
        if reason:
            condition["reason"] = reason
        if message:
            condition["message"] = message
        if generation:
            condition["observedGeneration"] = generation
        conditions.append(condition)
    return conditions


def _disruption(runtime: PodRuntime, old: Object, now: str) -> Object:
    """The condition with which a kubelet says that it has ended the pod (eviction_manager.go: synchronize)."""
    before = next((one for one in old.get("conditions", ()) if one["type"] == _DISRUPTED), None)
    unchanged = before is not None and before["status"] == "True"
    condition: Object = {"type": _DISRUPTED, "status": "True"}
    condition["lastTransitionTime"] = before["lastTransitionTime"] if before is not None and unchanged else now
    condition["reason"], condition["message"] = "TerminationByKubelet", runtime.disrupted
    if runtime.pod["metadata"].get("generation"):
        condition["observedGeneration"] = runtime.pod["metadata"]["generation"]
    return condition


def _containers_ready(runtime: PodRuntime) -> Finding:
    """GenerateContainersReadyCondition."""
    if runtime.ended:
        return "False", _TERMINAL_REASONS[runtime.phase], ""
    sidecars = [one for one in runtime.init_containers if one.sidecar]
    unready = [one.name for one in (*sidecars, *runtime.containers) if not one.ready]
    if unready:
        return "False", "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]"
    return _TRUE


def _ready(pod: Object, containers_ready: Finding, old_of: dict[str, Object]) -> Finding:
    """GeneratePodReadyCondition: the containers, then the readiness gates."""
    if containers_ready is not _TRUE:
        return containers_ready
    messages = []
    for gate in pod["spec"].get("readinessGates") or ():
        kind = gate["conditionType"]
        condition = old_of.get(kind)
        if condition is None:
            messages.append(f'corresponding condition of pod readiness gate "{kind}" does not exist.')
        elif condition["status"] != "True":
            messages.append(f'the status of pod readiness gate "{kind}" is not "True", but {condition["status"]}')
    return ("False", "ReadinessGatesNotReady", ", ".join(messages)) if messages else _TRUE


def _initialized(runtime: PodRuntime) -> Finding:
    """GeneratePodInitializedCondition; init containers complete in the instant in which the containers start."""
    if runtime.phase == "Succeeded":
        return "True", "PodCompleted", ""
    waiting = [one.name for one in runtime.init_containers if "waiting" in one.state]
    if waiting:
        return "False", "ContainersNotInitialized", f"containers with incomplete status: [{' '.join(waiting)}]"
    return _TRUE


def _resize_conditions(runtime: PodRuntime, old: Object, now: str) -> list[Object]:
    """updatedPodResizeCondition: the transition time moves with the reason."""
    conditions = []
    for kind, found in ((PENDING, runtime.resize_pending), (IN_PROGRESS, runtime.resize_in_progress)):
        if found is None or runtime.ended:
            continue
        reason, message, generation = found
        before = next((one for one in old.get("conditions", ()) if one["type"] == kind), None)
        same = before is not None and before.get("reason", "") == reason
        condition: Object = {"type": kind, "status": "True"}
        condition["lastProbeTime"] = now if before is None or not same else before["lastProbeTime"]
        condition["lastTransitionTime"] = now if before is None or not same else before["lastTransitionTime"]
        if reason:
            condition["reason"] = reason
        if message:
            condition["message"] = message
        condition["observedGeneration"] = generation
        conditions.append(condition)
    return conditions


def _container_status(container: Container) -> Object:
    status = _plain_status(container)
    running = "running" in container.state
    status["resources"] = container.resources if running else container.allocated
    if container.allocated.get("requests"):
        status["allocatedResources"] = container.allocated["requests"]
    return status


def _plain_status(container: Container) -> Object:
    return {
        "name": container.name,
        "image": container.image,
        "imageID": "",
        "ready": container.ready,
        "started": "running" in container.state,
        "restartCount": container.restarts,
        "state": container.state,
        "lastState": container.last,
    }
