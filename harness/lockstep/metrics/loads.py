"""Load models, and the sample that a measurement takes of them: what each container of each pod uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lockstep.metrics.curves import Curve, constant
from lockstep.metrics.handles import Handle
from lockstep.metrics.quantities import cores, pages
from lockstep.metrics.rhythm import Rhythm
from lockstep.metrics.usage import Members, Moment, Shares, Usage
from lockstep.metrics.views import PodView, Selection
from lockstep.time.clock import SECOND, rfc3339
from lockstep.wire.gotime import format_duration

_NOTHING = Usage(constant(0), divided=False)


class Load(Handle):
    """What one container of some pods uses. Made by `Metrics.load`."""

    __slots__ = ("container", "cpu", "memory", "selection", "startup")

    def __init__(
        self,
        now: Callable[[], int],
        selection: Selection,
        cpu: Usage | None,
        memory: Usage | None,
        startup: Curve | None,
        container: str | None,
    ) -> None:
        super().__init__(now)
        self.selection = selection
        self.cpu = cpu or _NOTHING
        self.memory = memory or _NOTHING
        self.startup = startup
        self.container = container

    @property
    def uneven(self) -> bool:
        """Whether the load gives otherwise equal pods different usage."""
        return bool(self.cpu.noise or self.memory.noise)


class PodUsage(NamedTuple):
    """The usage of a pod in a measurement. `cpu` in cores, `memory` in bytes, `containers` as in a PodMetrics."""

    timestamp: str
    window: str
    containers: list[dict[str, Any]]
    cpu: float
    memory: float


#: The usage of pods in a measurement, by uid. A pod without a load, or without a rate yet, is not in it.
Sample = dict[str, PodUsage]


class Plan:
    """Which pods are measured. It stays valid until pods or loads change. Pods with equal usage form one group."""

    def __init__(self, loads: Sequence[Load], members_of: Callable[[Selection], Members]) -> None:
        self.loads = loads
        self._members = [members_of(load.selection) for load in loads]
        #: The first pod of each group, with the indexes of the loads that apply to it.
        self._groups: list[tuple[PodView, tuple[int, ...]]] = []
        self._group_of: dict[str, int] = {}
        self._divide()

    def _divide(self) -> None:
        about: dict[str, tuple[int, ...]] = {}
        pods: dict[str, PodView] = {}
        for number, members in enumerate(self._members):
            for pod in members.pods:
                about[pod.uid] = (*about.get(pod.uid, ()), number)
                pods[pod.uid] = pod
        known: dict[Any, int] = {}
        for uid, numbers in about.items():
            pod = pods[uid]
            own = uid if any(self.loads[number].uneven for number in numbers) else ""
            key = (numbers, pod.starts, pod.first, pod.serving, own)
            if key not in known:
                known[key] = len(self._groups)
                self._groups.append((pod, numbers))
            self._group_of[uid] = known[key]

    def take(self, rhythm: Rhythm, moment: Moment) -> Sample:
        """Measure."""
        pairs = zip(self.loads, self._members, strict=True)
        parts = [_Part(load, members, moment) for load, members in pairs]
        before = rhythm.before(moment.instant)
        usages: list[PodUsage | None] = []
        for pod, numbers in self._groups:
            window = _window(pod, rhythm, moment.instant, before)
            chosen = [parts[number] for number in numbers]
            usages.append(None if window is None else _usage(pod, chosen, moment.instant, window))
        return {uid: usage for uid, group in self._group_of.items() if (usage := usages[group]) is not None}


class _Part:
    """One load at one measurement."""

    __slots__ = ("cpu", "load", "memory")

    def __init__(self, load: Load, members: Members, moment: Moment) -> None:
        self.load = load
        self.cpu = Shares(load.cpu, members, moment)
        self.memory = Shares(load.memory, members, moment)

    def cpu_of(self, pod: PodView, age: float) -> float:
        """What a container of this age uses, in cores."""
        used, load = self.cpu.of(pod), self.load
        if load.startup is not None:
            used += load.startup(age)
        return used if load.cpu.growth is None else used + load.cpu.growth(age)

    def memory_of(self, pod: PodView, age: float) -> float:
        """The same, in bytes."""
        growth = self.load.memory.growth
        return self.memory.of(pod) if growth is None else self.memory.of(pod) + growth(age)


def _window(pod: PodView, rhythm: Rhythm, measured: int, before: int) -> int | None:
    """The shortest window of the pod's containers; None as long as one of them has no rate (GetMetrics)."""
    shortest: int | None = None
    for _, started in pod.starts:
        window = rhythm.window_of(started, measured, before)
        if window is None:
            return None
        shortest = window if shortest is None else min(shortest, window)
    return shortest


def _usage(pod: PodView, parts: Sequence[_Part], measured: int, window: int) -> PodUsage:
    containers = []
    total_cpu = total_memory = 0.0
    for name, started in pod.starts:
        cpu = memory = 0.0
        for part in parts:
            if (part.load.container or pod.first) == name:
                age = (measured - started) / SECOND
                cpu += part.cpu_of(pod, age)
                memory += part.memory_of(pod, age)
        cpu, memory = max(cpu, 0.0), max(memory, 0.0)
        containers.append({"name": name, "usage": {"cpu": cores(cpu), "memory": pages(memory)}})
        total_cpu, total_memory = total_cpu + cpu, total_memory + memory
    return PodUsage(rfc3339(measured), format_duration(window), containers, total_cpu, total_memory)
