"""Questions about resizes: how a pod is changed in place."""

from __future__ import annotations

import json
import random
from typing import Any

from lockstep.quality.oracle.questions import pods
from lockstep.quality.oracle.questions.chance import maybe
from lockstep.time.clock import SECOND, rfc3339


def draw(rng: random.Random) -> Any:
    """A VPA, a pod, and LimitRanges; the CPU of some containers is boosted."""
    containers = pods.names(rng)
    pod = pods.pod(rng, containers=containers)
    vpa = pods.vpa(rng, containers)
    if rng.random() < 0.5:
        _boost(rng, pod, vpa, containers)
    return {"vpa": vpa, "pod": pod, "limitRanges": pods.limit_ranges(rng, 0.3)}


def _boost(rng: random.Random, pod: dict[str, Any], vpa: dict[str, Any], containers: tuple[str, ...]) -> None:
    pod["metadata"]["annotations"] = {
        f"vpaCpuStartupBoost/{name}": _original(rng) for name in containers if rng.random() < 0.7
    }
    ready = {"type": "Ready", "status": rng.choice(("True", "True", "True", "False"))}
    since = -rng.choice((0, 10, 11, 60, 61, 3600)) * SECOND
    pod["status"]["conditions"] = [pods.some(**ready, lastTransitionTime=maybe(rng, 0.95, rfc3339(since)))]
    vpa["spec"]["startupBoost"] = maybe(rng, 0.7, _startup_boost(rng))
    for policy in (vpa["spec"].get("resourcePolicy") or {}).get("containerPolicies") or ():
        if rng.random() < 0.3:
            policy["startupBoost"] = _startup_boost(rng)


def _startup_boost(rng: random.Random) -> dict[str, Any]:
    return {"cpu": pods.some(type="Factor", factor=2, durationSeconds=maybe(rng, 0.8, rng.choice((0, 10, 60))))}


def _original(rng: random.Random) -> str:
    if rng.random() < 0.05:
        return rng.choice(("", "no JSON", "null", "[]", '{"requests":1}', "{}"))
    return json.dumps({"requests": pods.small(rng), "limits": pods.small(rng)})
