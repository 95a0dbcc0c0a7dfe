"""The disruption controller: how many pods each PodDisruptionBudget allows to be disrupted right now.

From pkg/controller/disruption/disruption.go. It acts one step after a budget, or a pod that a budget selects, has
changed. Not simulated: its events, and its clean-up of DisruptionTarget conditions of pods that were not deleted after
all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from lockstep.apiserver import ApiServer
from lockstep.apiserver.budgets import BUDGETS, SYNC_FAILED, is_current, with_condition, with_verdict
from lockstep.time.clock import SECOND, parse_rfc3339, rfc3339
from lockstep.time.loop import VirtualLoop
from lockstep.wire.meta import is_terminating
from lockstep.wire.pods import is_ready
from lockstep.wire.selectors import NOTHING, InvalidSelector, Selector, selector_from
from lockstep.world.agenda import Agenda
from lockstep.world.api import Api, Object
from lockstep.world.scales import NoScale, Scales

#: DeletionTimeout: an evicted pod that is still there then was not evicted after all.
_DELETION_TIMEOUT = 120 * SECOND
#: Namespace and name of a budget.
Key = tuple[str, str]


class DisruptionController:
    """Keeps the status of all budgets. `enabled`: whether it runs; `delay`: seconds from a change to its reaction."""

    def __init__(self, loop: VirtualLoop, server: ApiServer) -> None:
        self.enabled = True
        self.delay = 0.0
        self._loop = loop
        self._api = Api(server, "disruption-controller")
        self._scales = Scales(self._api)
        self._agenda: Agenda[Key] = Agenda(loop, self._sync_all)
        self._selectors: dict[Key, Selector] = {}

    def next_due(self) -> int | None:
        """The instant of the next planned step, or None."""
        return self._agenda.next_due()

    def observe_budget(self, kind: str, budget: Object) -> None:
        """Handler of the budgets' feed."""
        key = _key(budget)
        if kind == "DELETED":
            self._selectors.pop(key, None)
            return
        try:
            self._selectors[key] = selector_from(budget["spec"].get("selector"))
        except InvalidSelector:
            self._selectors[key] = NOTHING
        self._plan(key)

    def observe_pod(self, kind: str, pod: Object) -> None:
        """Handler of the pods' feed."""
        if not self._selectors:
            return
        meta = pod["metadata"]
        for key, selector in self._selectors.items():
            if key[0] == meta["namespace"] and selector.matches(meta.get("labels")):
                self._plan(key)

    def _plan(self, key: Key) -> None:
        if self.enabled:
            self._agenda.add(self._loop.now + round(self.delay * SECOND), key)

    def _sync_all(self, keys: list[Key]) -> None:
        for namespace, name in sorted(set(keys)):
            budget = self._api.find(BUDGETS, namespace, name)
            if budget is not None and self.enabled:
                self._sync(budget)

    def _sync(self, budget: Object) -> None:
        """trySync, and failSafe if that does not work."""
        key = _key(budget)
        selector = self._selectors.get(key, NOTHING)
        found = self._api.objects("pods", key[0])
        pods = [pod for pod in found if selector.matches(pod["metadata"].get("labels"))]
        status = budget.get("status") or {}
        try:
            expected, desired = _expected(budget["spec"], pods, self._scales.total)
        except NoScale as problem:
            failed = {**status, "disruptionsAllowed": 0}
            self._write(budget, with_condition(failed, "False", SYNC_FAILED, self._now(), str(problem)))
            return
        disrupted = self._disrupted(key, pods, status.get("disruptedPods") or {})
        healthy = sum(
            not is_terminating(pod) and pod["metadata"]["name"] not in disrupted and is_ready(pod) for pod in pods
        )
        self._update_status(budget, healthy, desired, expected, disrupted)

    def _disrupted(self, key: Key, pods: Iterable[Object], known: dict[str, str]) -> dict[str, str]:
        """buildDisruptedPodMap: the evicted pods whose deletion is still expected."""
        kept: dict[str, str] = {}
        for pod in pods:
            name = pod["metadata"]["name"]
            if name not in known or is_terminating(pod):
                continue
            expected = parse_rfc3339(known[name]) + _DELETION_TIMEOUT
            if expected > self._loop.now:
                kept[name] = known[name]
                self._agenda.add(expected, key)
        return kept

    def _update_status(
        self, budget: Object, healthy: int, desired: int, expected: int, disrupted: dict[str, str]
    ) -> None:
        """Write what has changed (updatePdbStatus)."""
        allowed = 0 if expected <= 0 else max(0, healthy - desired)
        generation = budget["metadata"].get("generation", 0)
        fresh: Object = {"observedGeneration": generation}
        if disrupted:
            fresh["disruptedPods"] = disrupted
        counts = {
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "expectedPods": expected,
        }
        fresh.update(counts)
        status = budget.get("status") or {}
        unchanged = all(status.get(name, 0) == count for name, count in counts.items())
        if unchanged and (status.get("disruptedPods") or {}) == disrupted and is_current(status, generation):
            return
        if "conditions" in status:
            fresh["conditions"] = status["conditions"]
        self._write(budget, with_verdict(fresh, self._now()))

    def _write(self, budget: Object, status: Object) -> None:
        if status == budget.get("status"):
            return
        meta = budget["metadata"]
        path = f"/apis/policy/v1/namespaces/{meta['namespace']}/poddisruptionbudgets/{meta['name']}/status"
        self._api.write("PUT", path, {**budget, "status": status})

    def _now(self) -> str:
        return rfc3339(self._loop.now)


def _expected(spec: Object, pods: list[Object], total: Callable[[list[Object]], int]) -> tuple[int, int]:
    """getExpectedPodCount: how many pods there should be, and how many must be healthy. Raises NoScale."""
    most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
    if most is not None:
        expected = total(pods)
        return expected, max(0, expected - _part_of(most, expected))
    if isinstance(least, int):
        return len(pods), least
    if least is not None:
        expected = total(pods)
        return expected, _part_of(least, expected)
    return 0, 0


def _part_of(value: int | str, total: int) -> int:
    """GetScaledValueFromIntOrPercent, rounding up."""
    return value if isinstance(value, int) else math.ceil(int(value.removesuffix("%")) * total / 100)


def _key(budget: Object) -> Key:
    return budget["metadata"]["namespace"], budget["metadata"]["name"]
