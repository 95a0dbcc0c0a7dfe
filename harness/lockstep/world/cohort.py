"""A cohort: the pods of one group that reached their kubelets at one instant, and the timeline that they share.

A step for all pods is taken by each of them when it is due. Where the lifecycle gives one time per pod, times are not
assigned beforehand: when a time comes, the first waiting pod in canonical order takes the step (see `canonical`).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lockstep.time.clock import seconds
from lockstep.world.crashes import Crashes
from lockstep.world.lifecycle import Group, Lifecycle, Source, When, resolve
from lockstep.world.runtime import PodRuntime

#: Instant, order inside an instant, and what to do.
Step = tuple[int, int, Callable[[PodRuntime, str], None]]


class Cohort:
    """Pods with one timeline. `clock` shows a pod's node time; `ranks` compares nodes (see `Census.ranks`)."""

    def __init__(
        self,
        group: Group,
        source: Source,
        now: int,
        clock: Callable[[PodRuntime], str],
        ranks: Callable[[PodRuntime], Mapping[str, int]],
        crashes: Crashes,
    ) -> None:
        self.members: dict[str, PodRuntime] = {}
        self.began = now
        self.lifecycle = Lifecycle()
        self._group = group
        self._source = source
        self._clock = clock
        self._ranks = ranks
        self._crashes = crashes
        self._steps: list[Step] = []
        #: One list of times for each kind of step that single pods take, and how many of them were taken.
        self._single: dict[str, list[int]] = {}
        self._taken = dict.fromkeys(_SINGLE, 0)

    def join(self, runtime: PodRuntime) -> None:
        """Add a pod. Call `plan` before time moves."""
        self.members[runtime.uid] = runtime

    def plan(self) -> list[int]:
        """Make the timeline for the present number of pods. Returns its instants."""
        self.lifecycle = lifecycle = resolve(self._source, replace(self._group, size=len(self.members)))
        self._steps = sorted(self._shared_steps(lifecycle), key=lambda step: step[:2])
        self._single = {}
        started = lifecycle.start_after
        if started is not None and not lifecycle.rejected:
            self._plan_single("ready", lifecycle.ready_after, started)
        self._plan_single("fail", lifecycle.fails_after)
        self._plan_single("succeed", lifecycle.succeeds_after)
        single = {at for times in self._single.values() for at in times}
        return sorted(single.union(step[0] for step in self._steps))

    def live(self) -> bool:
        """Whether a step can still have an effect on a pod."""
        return any(not one.ended and not one.node.lost for one in self.members.values())

    def advance(self, now: int) -> Iterator[PodRuntime]:
        """Take all steps that are due. Yields the pods that changed."""
        due = bisect_right(self._steps, now, key=lambda step: step[0])
        for one in self.members.values():
            if one.done < due and not one.node.lost:
                clock = self._clock(one)
                for _, _, act in self._steps[one.done : due]:
                    act(one, clock)
                one.done = due
                yield one
        for kind, times in self._single.items():
            wanted = bisect_right(times, now) - self._taken[kind]
            if wanted > 0:
                yield from self._take_single(kind, wanted)

    # -- planning -----------------------------------------------------------------------------------------------------

    def _shared_steps(self, lifecycle: Lifecycle) -> Iterator[Step]:
        if lifecycle.rejected:
            yield self.began, 0, lambda one, _: one.reject(lifecycle.rejected)
            return
        start = lifecycle.start_after
        if start is None:
            yield self.began, 0, _report
        else:
            yield self._at(start), 1, PodRuntime.start
            if isinstance(lifecycle.ready_after, float | int):
                yield self._at(max(start, lifecycle.ready_after)), 2, _set_ready(True)
            for after, ready in lifecycle.flaps:
                yield self._at(after), 3, _set_ready(ready)
            for after in lifecycle.restarts:
                yield self._at(after), 4, self._restart(self._at(after + lifecycle.restart_for))
                yield self._at(after + lifecycle.restart_for), 5, _ready_again
            for after in lifecycle.ooms:
                yield self._at(after), 4, self._oom
        if isinstance(lifecycle.fails_after, float | int):
            yield self._at(lifecycle.fails_after), 6, _fail(lifecycle.fail_reason)
        if isinstance(lifecycle.succeeds_after, float | int):
            yield self._at(lifecycle.succeeds_after), 7, _succeed

    def _plan_single(self, kind: str, when: When, earliest: float = 0.0) -> None:
        if isinstance(when, tuple):
            self._single[kind] = sorted(self._at(max(earliest, after)) for after in when)

    def _at(self, after: float) -> int:
        return self.began + seconds(after)

    def _restart(self, ready_again_at: int) -> Callable[[PodRuntime, str], None]:
        def act(one: PodRuntime, clock: str) -> None:
            if one.restart(None, clock):
                one.ready_again_at = ready_again_at

        return act

    def _oom(self, one: PodRuntime, _: str) -> None:
        self._crashes.kill(one, None, self.lifecycle.oom_down, seconds(self.lifecycle.restart_for))

    # -- steps of single pods -----------------------------------------------------------------------------------------

    def _take_single(self, kind: str, wanted: int) -> Iterator[PodRuntime]:
        waits, act = _SINGLE[kind]
        waiting = [one for one in self.members.values() if not one.node.lost and waits(one)]
        if not waiting:
            return
        ranks = self._ranks(waiting[0]) if len(waiting) > wanted else {}

        def order(one: PodRuntime) -> tuple[Any, ...]:
            return one.key(), ranks.get(one.node.name, -1), one.uid

        for one in heapq.nsmallest(wanted, waiting, order):
            act(one, self._clock(one), self.lifecycle)
            self._taken[kind] += 1
            yield one


def _report(one: PodRuntime, clock: str) -> None:
    """Change nothing: the kubelet reports the containers that wait."""


def _set_ready(ready: bool) -> Callable[[PodRuntime, str], None]:
    return lambda one, _: one.set_ready(ready)


def _ready_again(one: PodRuntime, clock: str) -> None:
    if one.ready_again_at is not None:
        one.ready_again_at = None
        one.set_ready(True)


def _fail(reason: str) -> Callable[[PodRuntime, str], None]:
    return lambda one, clock: one.end(1, clock, reason)


def _succeed(one: PodRuntime, clock: str) -> None:
    one.end(0, clock)


#: For steps that single pods take: which pods wait for the step, and the step.
_SINGLE: dict[str, tuple[Callable[[PodRuntime], bool], Callable[[PodRuntime, str, Lifecycle], None]]] = {
    "ready": (
        lambda one: one.running and not one.had_ready and one.stop_at is None,
        lambda one, _, __: one.set_ready(True),
    ),
    "succeed": (lambda one: not one.ended and one.stop_at is None, lambda one, clock, _: one.end(0, clock)),
    "fail": (
        lambda one: not one.ended and one.stop_at is None,
        lambda one, clock, lifecycle: one.end(1, clock, lifecycle.fail_reason),
    ),
}
