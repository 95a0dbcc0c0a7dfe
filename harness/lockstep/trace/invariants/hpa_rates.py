"""The invariant of the HPA controller about how fast it scales."""
# ruff: noqa: D102 - what the hooks mean is said once, in Invariant

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from lockstep.time.clock import SECOND
from lockstep.trace.autoscalers import AUTOSCALERS, Object, bounds_of
from lockstep.trace.invariants.base import FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS
from lockstep.trace.invariants.hpa import HpaInvariant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

_LONGEST_PERIOD = 1800 * SECOND  # validation allows no policy a longer one
_Place = tuple[str, str]


class _Step(NamedTuple):
    at: int
    change: int


class Rates(HpaInvariant):
    """Keeps to the speed limit.

    The controller remembers its own scale writes by the HPA's name, as long as there are policies and for their longest
    period. So after an edit of the policies, or under a name that was used before, it may know fewer scale writes than
    the history has. Then nothing is checked for the longest period that validation allows.
    """

    name = "hpa-rates"
    must = (
        "Replicas MUST NOT change faster than spec.behavior allows, counted from the scale writes within each policy's "
        "period; without a behavior they MUST NOT rise to more than twice as many, or 4."
    )
    source = (
        "pkg/controller/podautoscaler/horizontal.go calculateScaleUpLimitWithScalingRules, "
        "calculateScaleDownLimitWithBehaviors, calculateScaleUpLimit"
    )
    needs = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)
    sees_world = True

    def __init__(self) -> None:
        self._steps: dict[_Place, list[_Step]] = {}
        self._unsure_until: dict[_Place, int] = {}
        self._used: dict[_Place, None] = {}

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        if write.resource == AUTOSCALERS and not write.failed:
            self._follow(write)
        scaled = self.scaled(write)
        autoscalers = state.autoscalers.of(scaled[0]) if scaled else ()
        if scaled is None or len(autoscalers) != 1:
            return  # with several HPAs it is unknown which of them did it
        autoscaler, (_, old, new) = autoscalers[0], scaled
        place = (write.namespace, str(autoscaler["metadata"]["name"]))
        steps = self._steps.setdefault(place, [])
        lowest, highest = bounds_of(autoscaler)
        if lowest <= old <= highest and old and write.at >= self._unsure_until.get(place, 0):
            limit = _limit(autoscaler, old, new, steps, write.at)
            if limit is not None and (new > limit if new > old else new < limit):
                yield f"it scaled {write.resource} {write.name} from {old} to {new}, and may go to {limit} at once"
        if (autoscaler.get("spec") or {}).get("behavior"):
            steps.append(_Step(write.at, new - old))

    def _follow(self, write: Write) -> None:
        place = (write.namespace, write.name)
        if write.before is None:
            if place in self._used:
                self._unsure_until[place] = write.at + _LONGEST_PERIOD
            self._used[place] = None
        elif write.after is not None and _behavior(write.before) != _behavior(write.after):
            self._unsure_until[place] = write.at + _LONGEST_PERIOD


def _behavior(autoscaler: Object) -> Any:
    return (autoscaler.get("spec") or {}).get("behavior")


def _limit(autoscaler: Object, old: int, new: int, steps: Sequence[_Step], now: int) -> int | None:
    """How far replicas may go in the direction of `new`; None: there is no limit."""
    up = new > old
    behavior = _behavior(autoscaler)
    if not behavior:
        return max(2 * old, 4) if up else None
    rules = behavior.get("scaleUp" if up else "scaleDown") or {}
    chosen, policies = rules.get("selectPolicy", "Max"), rules.get("policies") or ()
    if chosen == "Disabled":
        return old
    limits = [_policy_limit(policy, old, steps, now, up=up) for policy in policies]
    if not limits:
        return None  # the server would have set default policies, so it did not store this object
    furthest = max if (chosen != "Min") == up else min
    return max(old, furthest(limits)) if up else min(old, furthest(limits))


def _policy_limit(policy: Object, old: int, steps: Sequence[_Step], now: int, *, up: bool) -> int:
    since = now - int(policy["periodSeconds"]) * SECOND
    at_start = old - sum(step.change for step in steps if step.at > since)
    value = int(policy["value"])
    if policy["type"] == "Pods":
        return at_start + value if up else at_start - value
    if up:
        return math.ceil(at_start * (1 + value / 100))
    return int(at_start * (1 - value / 100))
