"""Questions about the whole model: pods, containers, VPAs and their usage in the course of days, restarts included.

Most of what depends on the order of a Go map is left out: containers of one name have two sets of labels at most, and
only one VPA has its own policy for memory.
"""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions.chance import DAY, HOUR, SECOND, cpu, maybe, memory

_MINUTE = 60 * SECOND
_PODS = ("web-0", "web-1", "web-2")
_CONTAINERS = ("app", "side")
_LABELS = ({"app": "web"}, {"app": "web", "tier": "front"})
_SELECTORS = ("app=web", "app=web", "app=web", "tier=front", "app!=web", "", None)
_PHASES = ("Running", "Running", "Running", "Succeeded", "Failed", "Unknown")
_PAUSES = (_MINUTE, _MINUTE, _MINUTE, 45 * _MINUTE, 5 * HOUR, DAY, 4 * DAY)


def draw(rng: random.Random) -> Any:
    """A history, which begins with some pods and a VPA."""
    history = _History(rng)
    for pod in _PODS[: rng.randrange(1, 4)]:
        history.add_pod(pod)
    history.add_vpa()
    for _ in range(rng.randrange(4, 30)):
        history.go_on()
    history.steps.append({"do": "recommend", "name": "vpa-0"})
    return {"perVPAConfig": history.per_vpa_config, "steps": history.steps}


class _History:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.steps: list[Any] = []
        self.per_vpa_config = rng.random() < 0.3
        self._now = 0

    def go_on(self) -> None:
        """Add another step."""
        happenings = (
            (0.45, self._sample),
            (0.53, self._oom),
            (0.65, self._sleep),
            (0.75, self._recommend),
            (0.80, self._restart),
            (0.86, self.add_vpa),
            (0.92, self._change_pod),
            (0.97, self._collect),
        )
        chance = self.rng.random()
        happening = next((happening for limit, happening in happenings if chance < limit), self._delete)
        happening()

    def add_pod(self, pod: str) -> None:
        """A pod with some containers, as the feeder adds it."""
        self._label(pod)
        for container in _CONTAINERS[: self.rng.randrange(1, 3)]:
            self.steps.append({"do": "container", "pod": pod, "container": container})

    def add_vpa(self) -> None:
        """A VPA is created or changed."""
        index = 1 if self.rng.random() < 0.2 else 0
        selector = self.rng.choice(_SELECTORS) if self.rng.random() < 0.4 else "app=web"
        vpa = _vpa(self.rng, f"vpa-{index}", own_memory=not index, now=self._now)
        self.steps.append({"do": "vpa", "vpa": vpa, "selector": selector})

    def _sample(self) -> None:
        for resource, amount in (("cpu", cpu(self.rng)), ("memory", memory(self.rng))):
            self._used("sample", amount, resource=resource)

    def _oom(self) -> None:
        self._used("oom", memory(self.rng))

    def _used(self, what: str, amount: int, **more: str) -> None:
        ago = self.rng.choice((0, 0, 0, 15 * SECOND, HOUR, 30 * HOUR))
        where = {"pod": self.rng.choice(_PODS), "container": self.rng.choice(_CONTAINERS)}
        self.steps.append({"do": what, **where, "t": self._now - ago, "a": amount, **more})

    def _sleep(self) -> None:
        pause = self.rng.choice(_PAUSES)
        self._now += pause
        self.steps.append({"do": "sleep", "duration": pause})

    def _recommend(self) -> None:
        self.steps.append({"do": "recommend", "name": self._name()})

    def _restart(self) -> None:
        self.steps.append({"do": "restart", "name": self._name()})

    def _change_pod(self) -> None:
        pod = self.rng.choice(_PODS)
        if self.rng.random() < 0.5:
            self._label(pod)
        else:
            self.add_pod(pod)

    def _label(self, pod: str) -> None:
        labels, phase = self.rng.choice(_LABELS), self.rng.choice(_PHASES)
        self.steps.append({"do": "pod", "pod": pod, "labels": labels, "phase": phase})

    def _collect(self) -> None:
        self.steps.append({"do": "collect", "exists": self.rng.random() < 0.5})

    def _delete(self) -> None:
        if self.rng.random() < 0.3:
            self.steps.append({"do": "delete-vpa", "name": self._name()})
        else:
            self.steps.append({"do": "delete-pod", "pod": self.rng.choice(_PODS)})

    def _name(self) -> str:
        return "vpa-1" if self.rng.random() < 0.15 else "vpa-0"


def _vpa(rng: random.Random, name: str, *, own_memory: bool, now: int) -> dict[str, Any]:
    spec: dict[str, Any] = {"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}
    if rng.random() < 0.5:
        spec["resourcePolicy"] = {"containerPolicies": [_policy(rng, own_memory=own_memory) for _ in range(2)]}
    status = {"conditions": [_condition(rng, now)]} if rng.random() < 0.3 else {}
    return {
        "metadata": {"namespace": "ns", "name": name, "generation": rng.randrange(5)},
        "spec": spec,
        "status": status,
    }


def _policy(rng: random.Random, *, own_memory: bool) -> dict[str, Any]:
    policy: dict[str, Any] = {"containerName": rng.choice((*_CONTAINERS, "*"))}
    if rng.random() < 0.3:
        policy["mode"] = rng.choice(("Auto", "Off"))
    if rng.random() < 0.3:
        policy["controlledResources"] = rng.choice((["cpu"], ["memory"], []))
    if own_memory and rng.random() < 0.6:
        policy["oomBumpUpRatio"] = maybe(rng, 0.7, rng.choice(("1500m", "2", "0", "1.2345678", 3)))
        policy["oomMinBumpUp"] = maybe(rng, 0.7, rng.choice(("100Mi", "0", "1.5", "1500m")))
        policy["memoryAggregationIntervalSeconds"] = maybe(rng, 0.7, rng.choice((3600, 60, 86400)))
        policy["memoryAggregationIntervalCount"] = maybe(rng, 0.7, rng.choice((1, 2, 30)))
    return policy


def _condition(rng: random.Random, now: int) -> dict[str, Any]:
    return {
        "type": rng.choice(("RecommendationProvided", "NoPodsMatched", "ConfigUnsupported", "FetchingHistory")),
        "status": rng.choice(("True", "False", "Unknown")),
        "lastTransitionTime": maybe(rng, 0.9, "1999-12-31T23:59:59Z"),
    }
