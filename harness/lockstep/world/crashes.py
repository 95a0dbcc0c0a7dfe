"""Containers that are killed, and when the kubelet starts them again.

From pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff) and client-go/util/flowcontrol/backoff.go. The first
restart follows at once, each further one after a back-off, which is reset when a container has run long enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.time.clock import SECOND, seconds
from lockstep.world.runtime import Container, PodRuntime

OOM_KILLED, OOM_CODE = "OOMKilled", 137
_FIRST, _LONGEST = 10 * SECOND, 300 * SECOND
_FORGOTTEN_AFTER = 2 * _LONGEST
#: Until the kubelet notices that a container has ended.
_NOTICED = SECOND


@dataclass(slots=True)
class _Backoff:
    wait: int
    since: int


class Crashes:
    """Kills containers and restarts them. `plan` schedules a call of `advance` for a pod; `clock` gives a pod's node
    time.
    """

    def __init__(
        self, now: Callable[[], int], plan: Callable[[int, PodRuntime], None], clock: Callable[[PodRuntime], str]
    ) -> None:
        self._now = now
        self._plan = plan
        self._clock = clock
        self._backoffs: dict[tuple[str, str], _Backoff] = {}
        #: Containers that are down, by pod: when their state changes, and how.
        self._due: dict[str, list[tuple[int, Callable[[], None]]]] = {}

    def kill(
        self,
        one: PodRuntime,
        name: str | None,
        down: float | None,
        ready_after: int,
        end: tuple[int, str] = (OOM_CODE, OOM_KILLED),
    ) -> None:
        """A container (default: the first) is killed, and starts again `down` seconds later (None: as kubelets do).

        `end`: exit code and reason. If it was ready, it is ready again `ready_after` nanoseconds after its restart. A
        container that does not run stays as it is. Raises ValueError if there is no such container.
        """
        container = one.container(name)
        if not one.running or "running" not in container.state:
            return
        was_ready, clock = container.ready, self._clock(one)
        container.exit(end[0], clock, end[1])
        if not one.restarts_containers:
            one.end_if_all_ended()
            return
        now = self._now()
        wait = self._backoff(one, container) if down is None else seconds(down)
        if wait == 0:
            self._start(one, container, was_ready, ready_after)
            return
        if down is None and wait > _NOTICED:
            self._at(one, now + _NOTICED, lambda: container.wait(_crash_loop(one, container, wait)))
        self._at(one, now + wait, lambda: self._start(one, container, was_ready, ready_after))

    def advance(self, one: PodRuntime) -> None:
        """Take the steps that are due for a pod."""
        planned = self._due.get(one.uid)
        if not planned:
            return
        now = self._now()
        self._due[one.uid] = [step for step in planned if step[0] > now]
        for due, act in planned:
            if due <= now and one.running:
                act()

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._due.pop(uid, None)
        for key in [key for key in self._backoffs if key[0] == uid]:
            del self._backoffs[key]

    def _at(self, one: PodRuntime, instant: int, act: Callable[[], None]) -> None:
        self._due.setdefault(one.uid, []).append((instant, act))
        self._plan(instant, one)

    def _backoff(self, one: PodRuntime, container: Container) -> int:
        """How long the container stays down (Backoff.IsInBackOffSince, Backoff.Next)."""
        key, now = (one.uid, container.name), self._now()
        known = self._backoffs.get(key)
        if known is None or now - known.since > _FORGOTTEN_AFTER:
            self._backoffs[key] = _Backoff(_FIRST, now + _NOTICED)
            return _NOTICED
        wait = known.wait
        self._backoffs[key] = _Backoff(min(2 * wait, _LONGEST), now + wait)
        return wait

    def _start(self, one: PodRuntime, container: Container, was_ready: bool, ready_after: int) -> None:
        container.last = container.killed
        container.restarts += 1
        container.run(self._clock(one))
        if was_ready:
            one.ready_again_at = self._now() + ready_after
            self._plan(one.ready_again_at, one)


def _crash_loop(one: PodRuntime, container: Container, wait: int) -> dict[str, str]:
    meta = one.pod["metadata"]
    pod = f"{meta['name']}_{meta['namespace']}({meta['uid']})"
    spelled = f"{wait // SECOND}s" if wait < 60 * SECOND else f"{wait // SECOND // 60}m{wait // SECOND % 60}s"
    text = f"back-off {spelled} restarting failed container={container.name} pod={pod}"
    return {"reason": "CrashLoopBackOff", "message": text}
