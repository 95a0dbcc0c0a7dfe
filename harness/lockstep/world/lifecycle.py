"""Lifecycles: what happens to the pods of one group, as data.

A group is the pods that one owner created at one instant. They are interchangeable for a controller, so a lifecycle is
chosen for the group and never for a pod by its name. To make the pods of a group differ, give a tuple of times: at each
time one of the pods that still wait takes the step. If a pod was deleted meanwhile, no pod is left for the last time,
whichever pod was deleted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from lockstep.world.resizes import ACCEPTED, Resize

#: Seconds after the kubelet got the pods: one time for all of them, or a tuple with one time per pod; None: never.
When = float | tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What happens to the pods of a group. Times are in seconds after their kubelet got them.

    Raises ValueError on a negative time.
    """

    #: The containers run (phase Running). None: the pod stays Pending for ever.
    start_after: float | None = 1.0
    #: The readiness probe succeeds; the pod is never ready before its containers run. None: never ready.
    ready_after: When = 2.0
    #: Later results of the readiness probe.
    flaps: tuple[tuple[float, bool], ...] = ()
    #: The first container exits with an error and starts again, ...
    restarts: tuple[float, ...] = ()
    #: ... and is ready again this many seconds later (if it was ready); also after `Kubelet.restart` and `oom_kill`.
    restart_for: float = 1.0
    #: The first container runs out of memory: it is killed at these times, ...
    ooms: tuple[float, ...] = ()
    #: ... and starts again this many seconds later. 0: no report shows it down; None: after the back-off.
    oom_down: float | None = None
    #: The pod ends in phase Failed, with this reason ...
    fails_after: When = None
    fail_reason: str = ""
    #: ... or Succeeded.
    succeeds_after: When = None
    #: The kubelet refuses the pod when it gets it (phase Failed), for this reason: NodeAffinity, OutOfcpu ...
    rejected: str = ""
    #: Once deleted, the containers end after this many seconds, or with the grace period if that is shorter. None: they
    #: use the whole grace period.
    stop_after: float | None = 1.0
    #: How resizes of the pod go.
    resize: Resize = ACCEPTED

    def __post_init__(self) -> None:
        times = [*_times(self.start_after), *_times(self.ready_after), *_times(self.fails_after)]
        times += [*_times(self.succeeds_after), *_times(self.stop_after), *self.restarts, self.restart_for]
        times += [*self.ooms, *_times(self.oom_down)]
        times += [after for after, _ in self.flaps]
        if any(time < 0 for time in times):
            raise ValueError(f"{self}: times are seconds after the kubelet got the pod; use 0 or more")


@dataclass(frozen=True, slots=True)
class Group:
    """The pods that one owner created at one instant.

    `owner` is the controller's name, "" for pods without one; `sequence` counts the owner's groups from 0; `size` is
    the number of pods that the kubelet has received so far.
    """

    namespace: str
    owner: str
    labels: Mapping[str, str]
    sequence: int
    size: int = 0


#: A lifecycle, or a function that makes one for a group.
Source = Lifecycle | Callable[[Group], Lifecycle]


class InTurn:
    """One source for an owner's first group, the next for its second, and so on; the last is for all further groups."""

    def __init__(self, *sources: Source) -> None:
        if not sources:
            raise ValueError("InTurn needs at least one lifecycle")
        self._sources = sources

    def __call__(self, group: Group) -> Lifecycle:
        """The lifecycle for a group."""
        return resolve(self._sources[min(group.sequence, len(self._sources) - 1)], group)


class Seeded:
    """Draws a lifecycle for each group; the draws depend on the seed and the group only, not on other groups.

    Ranges are in seconds and inclusive, drawn to the millisecond. `ready` counts from the start of the containers.
    `staggered` draws a readiness time for each pod of the group instead of one for all. `failing` is the probability
    that a group fails, after a time drawn from `fail`.
    """

    def __init__(
        self,
        rng: random.Random,
        *,
        start: tuple[float, float] = (1, 1),
        ready: tuple[float, float] = (1, 5),
        stop: tuple[float, float] = (1, 1),
        staggered: bool = False,
        failing: float = 0.0,
        fail: tuple[float, float] = (1, 60),
    ) -> None:
        self._seed = rng.getrandbits(64)
        self._start, self._ready, self._stop, self._fail = start, ready, stop, fail
        self._staggered = staggered
        self._failing = failing

    def __call__(self, group: Group) -> Lifecycle:
        """The lifecycle for a group."""
        rng = random.Random(f"{self._seed}/{group.namespace}/{group.owner}/{group.sequence}")
        start, stop = _draw(rng, self._start), _draw(rng, self._stop)
        fails = _draw(rng, self._fail) if rng.random() < self._failing else None
        drawn = Lifecycle(start_after=start, stop_after=stop, fails_after=fails, fail_reason="Error" if fails else "")
        if self._staggered:  # drawn last: other draws stay the same when a group grows
            times = tuple(start + _draw(rng, self._ready) for _ in range(group.size))
            return replace(drawn, ready_after=times)
        return replace(drawn, ready_after=start + _draw(rng, self._ready))


class Lifecycles:
    """Which lifecycle a group gets: that of the matching rule that was added last, or the default."""

    def __init__(self) -> None:
        self.default: Source = Lifecycle()
        self._rules: list[tuple[Callable[[Group], bool], Source]] = []

    def for_owner(self, name: str, source: Source, namespace: str = "default") -> None:
        """Pods created by the controller object of that name."""
        self._rules.append((lambda group: (group.namespace, group.owner) == (namespace, name), source))

    def for_labels(self, labels: Mapping[str, str], source: Source) -> None:
        """Pods that were created with all these labels."""
        wanted = set(labels.items())
        self._rules.append((lambda group: wanted <= group.labels.items(), source))

    def source(self, group: Group) -> Source:
        """The source for a group."""
        return next((source for matches, source in reversed(self._rules) if matches(group)), self.default)


def resolve(source: Source, group: Group) -> Lifecycle:
    """The lifecycle that `source` gives to `group`."""
    return source if isinstance(source, Lifecycle) else source(group)


def _draw(rng: random.Random, bounds: tuple[float, float]) -> float:
    return round(rng.uniform(*bounds), 3)


def _times(when: When) -> tuple[float, ...]:
    if when is None:
        return ()
    return when if isinstance(when, tuple) else (when,)
