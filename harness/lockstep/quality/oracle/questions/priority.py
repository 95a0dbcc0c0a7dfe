"""Questions about priority: which pods are updated, and in which order."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions import pods
from lockstep.quality.oracle.questions.chance import DAY, HOUR, maybe
from lockstep.time.clock import SECOND, rfc3339

_MINUTE = 60 * SECOND
_OOM = 10 * _MINUTE
_OBSERVED = ("app", "app, proxy", "proxy", "", "app,proxy", "App", "app, proxy, log")


def draw(rng: random.Random) -> Any:
    """Some pods of one VPA, in half of all questions similar and close to the recommendation."""
    containers = pods.names(rng)
    vpa = pods.vpa(rng, containers)
    near = rng.random() < 0.5
    if near:
        vpa["status"] = {"recommendation": {"containerRecommendations": [_near(rng, each) for each in containers]}}
        vpa["spec"]["resourcePolicy"] = None
    _policy(rng, vpa)
    for each in (vpa["status"].get("recommendation") or {}).get("containerRecommendations") or ():
        # upstream adds floats up in the order of a map, which matters from the third resource on
        each.get("target", {}).pop("nvidia.com/gpu", None)
    now = 2 * DAY
    return {
        "vpa": vpa,
        "pods": [_pod(rng, f"web-{index}", containers, now, near) for index in range(rng.choice((1, 2, 3, 5)))],
        "now": now,
        "threshold": rng.choice((0.1, 0.1, 0.1, 0.0, 0.5, 1e-9)),
        "lifetime": rng.choice((12 * HOUR, 12 * HOUR, 0, HOUR)),
        "oom": _OOM,
        "perVPAConfig": rng.random() < 0.3,
        "infeasible": _infeasible(rng, containers),
    }


def _policy(rng: random.Random, vpa: dict[str, Any]) -> None:
    policy = vpa["spec"].get("updatePolicy")
    if policy is not None and rng.random() < 0.4:
        policy["evictionRequirements"] = [_requirement(rng) for _ in range(rng.randrange(3))]
    if policy is not None and rng.random() < 0.3:
        policy["evictAfterOOMSeconds"] = rng.choice((1, 60, 600, 3600))


def _requirement(rng: random.Random) -> dict[str, Any]:
    return {
        "resources": rng.choice((["cpu"], ["memory"], ["cpu", "memory"], [])),
        "changeRequirement": rng.choice(("TargetHigherThanRequests", "TargetLowerThanRequests")),
    }


def _near(rng: random.Random, container: str) -> dict[str, Any]:
    return {
        "containerName": container,
        "target": {"cpu": f"{rng.choice((100, 105, 110, 111, 200, 90))}m", "memory": f"{rng.randrange(90, 120)}Mi"},
        "lowerBound": {"cpu": f"{rng.choice((50, 90, 100))}m", "memory": "80Mi"},
        "upperBound": {"cpu": f"{rng.choice((100, 120, 300))}m", "memory": f"{rng.choice((100, 110, 300))}Mi"},
    }


def _pod(rng: random.Random, name: str, containers: tuple[str, ...], now: int, near: bool) -> dict[str, Any]:
    pod = pods.pod(rng, name, containers)
    if near:
        for container in pod["spec"]["containers"]:
            container["resources"] = {"requests": {"cpu": rng.choice(("100m", "110m")), "memory": "100Mi"}}
        pod["status"] = {"phase": "Running"}
    if rng.random() < 0.2:
        pod["metadata"]["annotations"] = {"vpaObservedContainers": rng.choice(_OBSERVED)}
    if rng.random() < 0.9:
        age = rng.choice((12 * HOUR, 12 * HOUR - SECOND, 12 * HOUR + SECOND, HOUR, rng.randrange(2 * DAY)))
        pod["status"]["startTime"] = rfc3339(now - age)
    if rng.random() < 0.3:
        statuses = {each["name"]: each for each in pod["status"].get("containerStatuses") or ()}
        pod["status"]["containerStatuses"] = [
            {**statuses.get(each, {"name": each}), "lastState": {"terminated": _terminated(rng, now)}}
            for each in containers
        ]
    return pod


def _terminated(rng: random.Random, now: int) -> dict[str, Any]:
    finished = now - rng.choice((_OOM, _OOM - SECOND, _MINUTE, HOUR, -_MINUTE))
    started = finished - rng.choice((_OOM, _OOM - SECOND, SECOND, HOUR))
    return pods.some(
        exitCode=137,
        reason=rng.choice(("OOMKilled", "OOMKilled", "OOMKilled", "Error")),
        startedAt=maybe(rng, 0.95, rfc3339(started)),
        finishedAt=maybe(rng, 0.95, rfc3339(finished)),
    )


def _infeasible(rng: random.Random, containers: tuple[str, ...]) -> dict[str, Any]:
    """By UID of a pod: the resources for which its node had no room."""
    tried = {"containerRecommendations": [pods.recommendation(rng, each) for each in containers]}
    return {f"uid-web-{index}": tried for index in range(3) if rng.random() < 0.3}
