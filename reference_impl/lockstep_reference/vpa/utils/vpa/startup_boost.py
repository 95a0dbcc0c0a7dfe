"""How long the CPU of a starting container is boosted (pkg/utils/vpa/api.go)."""

from __future__ import annotations

from typing import Any

from lockstep.wire.gotime import SECOND, parse_rfc3339
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.annotations import STARTUP_CPU_BOOST_PREFIX, annotations_of
from lockstep_reference.vpa.utils.vpa.policies import get_container_resource_policy


def get_pod_condition(pod: Object, condition_type: str) -> dict[str, Any] | None:
    """The pod's first condition of that type (GetPodCondition)."""
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == condition_type:
            found: dict[str, Any] = condition
            return found
    return None


def is_pod_ready(pod: Object) -> bool:
    """Whether the condition Ready is true (IsPodReady)."""
    condition = get_pod_condition(pod, "Ready")
    return condition is not None and condition.get("status") == "True"


def pod_has_cpu_boost_in_progress_annotation(pod: Object) -> bool:
    """Whether any container is marked as boosted (PodHasCPUBoostInProgressAnnotation)."""
    return any(name.startswith(STARTUP_CPU_BOOST_PREFIX) for name in annotations_of(pod))


def get_expired_startup_cpu_boost_annotations(pod: Object, vpa: Object, now: int) -> list[str]:
    """The annotations of the containers whose boost is over (GetExpiredStartupCPUBoostAnnotations).

    A boost lasts until the pod is ready, and then as long as the VPA says, in whole seconds.
    """
    boosted = [name for name in annotations_of(pod) if name.startswith(STARTUP_CPU_BOOST_PREFIX)]
    ready = get_pod_condition(pod, "Ready") if boosted else None
    if ready is None or ready.get("status") != "True":
        return []
    transition = ready.get("lastTransitionTime")
    expired = []
    for name in boosted:
        duration = _boost_duration(name.removeprefix(STARTUP_CPU_BOOST_PREFIX), vpa)
        # Without a transition the pod is ready since the year 1.
        if duration == 0 or transition is None or now - parse_rfc3339(transition) > duration * SECOND:
            expired.append(name)
    return expired


def _boost_duration(container_name: str, vpa: Object) -> int:
    """Seconds; the container's own policy is the stronger one (getContainerCPUStartupBoostDuration)."""
    spec = vpa["spec"]
    policy = get_container_resource_policy(container_name, spec.get("resourcePolicy"))
    for holder in (policy, spec):
        boost = ((holder or {}).get("startupBoost") or {}).get("cpu") or {}
        if boost.get("durationSeconds") is not None:
            return int(boost["durationSeconds"])
    return 0
