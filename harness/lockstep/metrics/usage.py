"""How an amount is distributed over pods: shared by those that are serving, or one for each.

Pods that a controller cannot tell apart are treated alike. With `noise` they differ: the amounts belong to ranks, and
ranks to the pods in canonical order. So it does not matter which of several equal pods gets which amount.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lockstep.metrics.curves import Curve, Number, amount, curve_of
from lockstep.metrics.handles import MetricsError
from lockstep.metrics.noise import deviation
from lockstep.metrics.views import PodView, Selection, canonical


@dataclass(frozen=True, slots=True)
class PerReady:
    """A value that depends on the time and on how many pods of a selection are ready."""

    selection: Selection
    value: Callable[[float, int], float]


#: What a scenario may write for an amount in base units.
Value = Number | PerReady
_Made = Curve | PerReady


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of an evaluation: seconds since the scenario began, the instant, and the pods that were ready then."""

    time: float
    instant: int
    ready: Callable[[Selection], int]

    def of(self, value: _Made) -> float:
        """The amount now."""
        if isinstance(value, PerReady):
            return value.value(self.time, self.ready(value.selection))
        return value(self.time)


@dataclass(frozen=True, slots=True)
class Usage:
    """An amount and how it is distributed over pods. Made by `shared` and `each`."""

    value: _Made
    divided: bool
    idle: float = 0.0
    at_most: float | None = None
    noise: float = 0.0
    seed: int = 0
    #: What a container uses in addition, by its age in seconds.
    growth: Curve | None = None

    def grown(self, age: float) -> float:
        """What a container of this age uses in addition."""
        return self.growth(age) if self.growth is not None else 0.0


def shared(
    value: Value, *, idle: float | str = 0.0, at_most: float | str | None = None, noise: float = 0.0, seed: int = 0
) -> Usage:
    """A demand that is divided among the serving pods: those that are ready and not being deleted. Others use `idle`.

    `at_most`: the most that one pod can use; demand above that is lost. `noise` (0.2: a fifth more or less): how
    unevenly the demand is divided, drawn again at each moment.
    """
    limit = None if at_most is None else amount(at_most)
    return Usage(made(value), True, amount(idle), limit, _checked(noise), seed)


def each(
    value: Value,
    *,
    growth: Number | None = None,
    at_most: float | str | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> Usage:
    """The amount of each running pod, ready or not. `at_most` and `noise` as in `shared`.

    `growth` is a curve over the seconds since a container started, which is added: a leak, a cache that fills.
    """
    limit = None if at_most is None else amount(at_most)
    grown = None if growth is None else curve_of(growth)
    return Usage(made(value), False, 0.0, limit, _checked(noise), seed, grown)


def per_ready(
    pods: str | Mapping[str, str], value: Callable[[float, int], float], *, namespace: str = "default"
) -> PerReady:
    """An amount that `value` gives for the time and the number of ready pods, chosen by name or labels as in `load`."""
    return PerReady(Selection.of(pods, namespace), value)


def usage_of(value: Usage | Value) -> Usage:
    """The usage for what a scenario gave. A plain amount means `each`."""
    return value if isinstance(value, Usage) else each(value)


def made(value: Value) -> _Made:
    """The curve that `value` stands for; a `PerReady` stays as it is."""
    return value if isinstance(value, PerReady) else curve_of(value)


def _checked(noise: float) -> float:
    if not 0.0 <= noise <= 1.0:
        raise MetricsError(f"noise={noise}: give the part by which pods may differ, between 0 and 1")
    return noise


class Members:
    """The running pods of a selection at one moment, over which amounts are distributed."""

    def __init__(self, pods: Sequence[PodView]) -> None:
        self.pods = pods
        self.serving = [pod for pod in pods if pod.serving]

    def receiving(self, usage: Usage) -> Sequence[PodView]:
        """The pods that get a share of an amount."""
        return self.serving if usage.divided else self.pods

    @cached_property
    def _in_order(self) -> Sequence[PodView]:
        return canonical(self.pods)

    def ordered(self, usage: Usage) -> list[PodView]:
        """The pods that get a share, in canonical order."""
        return [pod for pod in self._in_order if pod.serving or not usage.divided]


class Shares:
    """What each of some pods uses of one `Usage` at one moment."""

    __slots__ = ("_alike", "_busy", "_idle", "_own")

    def __init__(self, usage: Usage, members: Members, moment: Moment) -> None:
        self._alike = not usage.divided
        self._idle = usage.idle
        self._busy = 0.0
        self._own: dict[str, float] = {}
        count = len(members.receiving(usage))
        if not count:
            return
        self._busy = moment.of(usage.value) / (count if usage.divided else 1)
        if usage.noise:
            self._own = _uneven(usage, members.ordered(usage), self._busy, moment)
        if usage.at_most is not None:
            self._busy = min(self._busy, usage.at_most)

    def of(self, pod: PodView) -> float:
        """The amount of one of the pods."""
        if self._alike or pod.serving:
            return self._own[pod.uid] if self._own else self._busy
        return self._idle


def _uneven(usage: Usage, busy: Sequence[PodView], even: float, moment: Moment) -> dict[str, float]:
    weights = [1.0 + usage.noise * deviation(usage.seed, moment.instant, rank) for rank in range(len(busy))]
    mean = sum(weights) / len(weights) if usage.divided else 1.0
    parts = [even * weight / mean if mean else even for weight in weights]
    if usage.at_most is not None:
        parts = [min(part, usage.at_most) for part in parts]
    return {pod.uid: part for pod, part in zip(busy, parts, strict=True)}
