"""The kernel's part: containers that use more memory than their limit are killed.

Usage is a function of the time and of the container's age, so the moment of the kill is found ahead, on a grid of
`STEP` seconds from the start of the container; nothing runs in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lockstep.time.clock import SECOND
from lockstep.time.loop import VirtualLoop
from lockstep.wire.pods import is_active
from lockstep.wire.quantity import read_quantity
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object
from lockstep.world.kubelet import Kubelet

STEP = 5.0
#: How many steps ahead one search goes.
_AHEAD = 17_280
#: The bytes that a container uses, from the instant and its age in seconds.
MemoryUse = Callable[[int, float], float]


@dataclass(slots=True, eq=False)
class MemoryRule:
    """What a container (None: the first one) of the pods with certain labels uses."""

    namespace: str
    labels: Mapping[str, str]
    container: str | None
    use: MemoryUse
    #: By start and limit: the next instant to check, and whether the limit is crossed then.
    known: dict[tuple[int, int, int], tuple[int, bool]] = field(default_factory=dict)

    def matches(self, pod: Object) -> bool:
        """Whether the rule applies to a pod."""
        meta = pod["metadata"]
        own = meta.get("labels") or {}
        return bool(meta["namespace"] == self.namespace and self.labels.items() <= own.items())


@dataclass(slots=True, eq=False)
class _Life:
    """One container from a start to its end, under one limit."""

    rule: MemoryRule
    uid: str
    namespace: str
    name: str
    container: str
    restarts: int
    started: int
    limit: int


class MemoryWatch:
    """Follows the pods' feed, and kills where a rule says so. A kill to come keeps no run from ending."""

    def __init__(self, loop: VirtualLoop, api: Api, kubelet: Kubelet) -> None:
        self._loop = loop
        self._api = api
        self._kubelet = kubelet
        self._rules: list[MemoryRule] = []
        self._lives: dict[tuple[MemoryRule, str], _Life] = {}
        self._agenda: Agenda[_Life] = Agenda(loop, self._look, self._is_current)

    def add(self, rule: MemoryRule) -> None:
        """Enforce a rule from now on, for containers that run already, too: their age counts from now."""
        self._rules.append(rule)
        for pod in self._api.objects("pods"):
            self._follow(rule, pod)

    def observe(self, kind: str, pod: Object) -> None:
        """Handler of the pods' feed."""
        for rule in self._rules:
            if kind == "DELETED":
                self._lives.pop((rule, pod["metadata"]["uid"]), None)
            else:
                self._follow(rule, pod)

    def _follow(self, rule: MemoryRule, pod: Object) -> None:
        if not rule.matches(pod):
            return
        key = (rule, pod["metadata"]["uid"])
        status = _running(pod, rule.container)
        if status is None or not is_active(pod):
            self._lives.pop(key, None)
            return
        before, limit = self._lives.get(key), _limit(pod, status)
        same = before is not None and before.restarts == status["restartCount"]
        if before is not None and same and before.limit == limit:
            return
        meta = pod["metadata"]
        started = before.started if before is not None and same else self._loop.now
        place = (meta["namespace"], meta["name"], status["name"])
        life = self._lives[key] = _Life(rule, key[1], *place, status["restartCount"], started, limit)
        if limit:
            self._plan(life)

    def _plan(self, life: _Life) -> None:
        """Plan the next check: when the limit is crossed, or where the search ended."""
        now = self._loop.now
        key = (life.started, life.limit, now)
        if key not in life.rule.known:
            life.rule.known[key] = next(_crossings(life, now), (_later(life, now), False))
        instant, _ = life.rule.known[key]
        self._agenda.add(instant, life)

    def _look(self, lives: list[_Life]) -> None:
        for life in lives:
            if not self._is_current(life):
                continue
            if self._use(life) <= life.limit:
                self._plan(life)
                continue
            pod = self._api.find("pods", life.namespace, life.name)
            if pod is not None and pod["metadata"]["uid"] == life.uid and _running(pod, life.container) is not None:
                self._kubelet.oom_kill(pod, life.container)

    def _use(self, life: _Life) -> float:
        now = self._loop.now
        return life.rule.use(now, (now - life.started) / SECOND)

    def _is_current(self, life: _Life) -> bool:
        return self._lives.get((life.rule, life.uid)) is life


def _crossings(life: _Life, now: int) -> Iterator[tuple[int, bool]]:
    step = round(STEP * SECOND)
    passed = (now - life.started) // step
    use, limit = life.rule.use, life.limit
    for number in range(passed + 1, passed + 1 + _AHEAD):
        instant = life.started + number * step
        if use(instant, number * STEP) > limit:
            yield instant, True


def _later(life: _Life, now: int) -> int:
    step = round(STEP * SECOND)
    return life.started + ((now - life.started) // step + _AHEAD) * step


def _running(pod: Object, container: str | None) -> Object | None:
    """The status of the container, if it runs."""
    wanted = container or pod["spec"]["containers"][0]["name"]
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if status["name"] == wanted:
            return status if "running" in status["state"] else None
    return None


def _limit(pod: Object, status: Object) -> int:
    """The memory limit in bytes that the node enforces; 0: no limit."""
    resources = status.get("resources")
    if resources is None:
        spec: Object = next((one for one in pod["spec"]["containers"] if one["name"] == status["name"]), {})
        resources = spec.get("resources") or {}
    return int(read_quantity((resources.get("limits") or {}).get("memory", "0")).exact())
