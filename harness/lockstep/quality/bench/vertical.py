"""Figures of the VPA: the recommender's eight days, and a fleet of VPAs. The ReplicaSet controller keeps the pods."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lockstep import objects
from lockstep.metrics import daily, each
from lockstep.objects.definitions import VPAS
from lockstep.quality.bench.figures import BenchFailed, Figure, at_most, medians
from lockstep.quality.bench.workloads import play
from lockstep.scenarios.declare import Scenario

if TYPE_CHECKING:
    from lockstep.quality.bench.sides import Sides
    from lockstep.scenarios.cluster import Cluster
    from lockstep.scenarios.declare import Body

_SIDES = ("reference", "upstream")
_TARGETS = {"reference": 5.0, "upstream": 30.0}
_DAY = 24 * 3600.0


def recommender(sides: Sides) -> list[Figure]:
    """Eight virtual days of one VPA with ten pods at the real interval, a minute, and if later days cost more."""
    sides.progress("eight virtual days of a recommender, on both implementations")
    times = medians(1, *(partial(play, recommending(1, 8), side) for side in sides.both))
    (one,) = medians(1, partial(play, recommending(1, 1), sides.reference))
    figures = [
        Figure(f"VPA, 8 days with 10 pods, {name}", taken, "s", at_most(_TARGETS[name]))
        for name, taken in zip(_SIDES, times, strict=True)
    ]
    return [*figures, Figure("a day of 8 to a single one", times[0] / 8 / one, "times", at_most(1.2))]


def fleet(sides: Sides, size: int = 100) -> list[Figure]:
    """Many VPAs with ten pods each for a day."""
    sides.progress(f"{size} VPAs for a day, on both implementations")
    times = medians(1, *(partial(play, recommending(size, 1), side) for side in sides.both))
    figures = [Figure(f"{size} VPAs, a day, {name}", taken, "s") for name, taken in zip(_SIDES, times, strict=True)]
    return [*figures, Figure("the same, reference to upstream", times[0] / times[1], "times its time", at_most(1.0))]


def recommending(size: int, days: float, pods: int = 10) -> Scenario:
    """Many VPAs, each with a ReplicaSet of `pods` pods whose usage follows a daily curve."""

    async def body(cluster: Cluster) -> None:
        names = [f"web-{number}" for number in range(size)]
        for name in names:
            cluster.metrics.load(name, cpu=each(daily("100m", "400m")), memory=each(daily("200Mi", "600Mi")))
        async with cluster.batch():
            for name in names:
                await cluster.create(objects.vpa(name, mode="Off"), objects.replica_set(name, pods))
        await cluster.run(days * _DAY)
        status = cluster.get(VPAS, names[-1]).get("status") or {}
        if not status.get("recommendation"):
            raise BenchFailed(f"the VPA {names[-1]} has no recommendation after {days:g} days")

    return _scenario(f"{size}-for-{days:g}-days", body)


def _scenario(name: str, body: Body) -> Scenario:
    return Scenario(
        id=f"vpa-recommender/bench-{name}",
        must="The recommender MUST keep up.",
        source=("issue",),
        body=body,
        controllers=("vpa-recommender", "replicaset"),
        horizon=9 * _DAY,
    )
