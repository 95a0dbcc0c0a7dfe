"""The kubelet's side of a resize: it decides, allocates, carries out and reports.

From pkg/kubelet/allocation/allocation_manager.go (handlePodResourcesResize), kuberuntime_manager.go (doPodResizeAction)
and status_manager.go. Capacity is not simulated, so how a resize goes is data: see `Resize`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.time.clock import seconds
from lockstep.world.api import Object
from lockstep.world.runtime import Container, PodRuntime

PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
DEFERRED, INFEASIBLE = "Deferred", "Infeasible"
_VERDICTS = ("", DEFERRED, INFEASIBLE)
_MESSAGES = {
    DEFERRED: "Node didn't have enough resource: cpu",
    INFEASIBLE: "Node didn't have enough capacity: cpu",
}


@dataclass(frozen=True, slots=True)
class Resize:
    """How the resizes of a pod go. Raises ValueError on an unknown verdict or a negative time."""

    #: "": accepted at once; "Deferred" and "Infeasible": pending, for that reason, ...
    verdict: str = ""
    #: ... with this message (a default one if it is empty), ...
    message: str = ""
    #: ... until the kubelet accepts it this many seconds later; None: never.
    pending_for: float | None = None
    #: Seconds from the acceptance until the containers have what was asked for. 0: it is never reported as in progress;
    #: None: it stays in progress.
    takes: float | None = 1.0
    #: Why the attempt fails while it is in progress (reason Error of the condition); "": it does not fail.
    error: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in _VERDICTS or min(self.pending_for or 0, self.takes or 0) < 0:
            raise ValueError(f"{self}: the verdict is one of {_VERDICTS}, times are seconds from 0 on")


ACCEPTED = Resize()


class Resizes:
    """Follows the specs of running pods. `plan` schedules a call of `advance` for a pod."""

    def __init__(
        self,
        now: Callable[[], int],
        plan: Callable[[int, PodRuntime], None],
        restart: Callable[[PodRuntime, Container], None],
    ) -> None:
        self._now = now
        self._plan = plan
        self._restart = restart
        #: By pod and condition: when its resize goes on, and how.
        self._due: dict[str, dict[str, tuple[int, Callable[[], None]]]] = {}

    def consider(self, one: PodRuntime, resize: Resize) -> bool:
        """The pod's spec has changed. Returns whether its status changes, too."""
        self._drop(one, PENDING)
        if not one.running:
            one.take_resources()
            return False
        one.resize_pending = None
        if one.has_what_it_asks_for():
            self._drop(one, IN_PROGRESS)
            one.resize_in_progress = None
            return True
        if not resize.verdict:
            self._accept(one, resize)
            return True
        message = resize.message or _MESSAGES[resize.verdict]
        one.resize_pending = (resize.verdict, message, one.pod["metadata"].get("generation", 0))
        if resize.pending_for is not None:
            self._at(one, PENDING, resize.pending_for, lambda: self._accept(one, resize))
        return True

    def advance(self, one: PodRuntime) -> None:
        """Take the steps that are due for a pod."""
        planned = self._due.get(one.uid)
        for kind, (instant, act) in list((planned or {}).items()):
            if instant <= self._now():
                self._drop(one, kind)
                if one.running:
                    act()

    def forget(self, uid: str) -> None:
        """The pod is gone."""
        self._due.pop(uid, None)

    def _at(self, one: PodRuntime, kind: str, after: float, act: Callable[[], None]) -> None:
        instant = self._now() + seconds(after)
        self._due.setdefault(one.uid, {})[kind] = (instant, act)
        self._plan(instant, one)

    def _drop(self, one: PodRuntime, kind: str) -> None:
        self._due.get(one.uid, {}).pop(kind, None)

    def _accept(self, one: PodRuntime, resize: Resize) -> None:
        """The node sets the resources aside for the pod, and begins to change the containers."""
        one.resize_pending = None
        one.allocate()
        self._drop(one, IN_PROGRESS)
        if resize.takes == 0:
            self._finish(one)
            return
        reason = "Error" if resize.error else ""
        one.resize_in_progress = (reason, resize.error, one.pod["metadata"].get("generation", 0))
        if resize.takes is not None:
            self._at(one, IN_PROGRESS, resize.takes, lambda: self._finish(one))

    def _finish(self, one: PodRuntime) -> None:
        """The containers have what was asked for; those whose resize policy says so restart."""
        one.resize_in_progress = None
        for container in (*one.containers, *one.init_containers):
            changed = _changed(container.resources, container.allocated)
            container.resources = container.allocated
            if changed & container.restarting_resources and "running" in container.state:
                self._restart(one, container)


def _changed(old: Object, new: Object) -> set[str]:
    """The resources of which a request or a limit differs."""
    sides = ("requests", "limits")
    pairs = [((old.get(side) or {}), (new.get(side) or {})) for side in sides]
    return {name for had, has in pairs for name in {*had, *has} if had.get(name) != has.get(name)}
