"""Figures of whole runs: virtual time to real time, the cost of a pod, and whether either grows with the run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lockstep.quality.bench.figures import Figure, at_least, at_most, best, medians
from lockstep.quality.bench.workloads import churn, edits, play, up_and_down

if TYPE_CHECKING:
    from lockstep.quality.bench.sides import Sides

_SPEED = {"reference": 50_000, "upstream": 10_000}
_ROUNDS = 9


def speed(sides: Sides, minutes: int = 30) -> list[Figure]:
    """Virtual time to real time, for a ReplicaSet of 20 that loses one pod each minute."""
    scenario = churn(minutes)
    for side in sides.both:
        play(scenario, side)
    times = best(_ROUNDS, *(partial(play, scenario, side) for side in sides.both))
    return [
        Figure(f"{minutes} min of churn, {name}", minutes * 60 / taken, "x real time", at_least(target))
        for (name, target), taken in zip(_SPEED.items(), times, strict=True)
    ]


def scale(sides: Sides, small: int = 1000, large: int = 10_000) -> list[Figure]:
    """The cost of creating and deleting a pod, in one ReplicaSet with many of them."""
    few = medians(3, *(partial(play, up_and_down(small), side) for side in sides.both))
    sides.progress(f"a ReplicaSet of {large:,} pods, on both implementations")
    many = medians(1, *(partial(play, up_and_down(large), side) for side in sides.both))
    figures = [Figure(f"{large:,} pods, reference to upstream", many[0] / many[1], "times its time", at_most(1.0))]
    for name, less, more in zip(_SPEED, few, many, strict=True):
        growth = (more / large) / (less / small)
        figures.append(Figure(f"a pod of {large:,} to one of {small:,}, {name}", growth, "times", at_most(2.0)))
    for name, more in zip(_SPEED, many, strict=True):
        figures.append(Figure(f"a pod of {large:,}, {name}", more / large * 1e6, "µs"))
    return figures


def days(sides: Sides, hours: int = 12) -> list[Figure]:
    """The cost of a virtual hour in a long run, to that in a run of one hour."""
    figures = []
    for name, side in zip(_SPEED, sides.both, strict=True):
        sides.progress(f"{hours} virtual hours, {name}")
        short, long = medians(3, partial(play, churn(60), side), partial(play, churn(60 * hours), side))
        figures.append(
            Figure(f"an hour of {hours} to a single one, {name}", long / hours / short, "times", at_most(1.5))
        )
    return figures


def reconcile(sides: Sides, count: int = 300) -> list[Figure]:
    """The cost of an edit that a controller answers with a status write: two syncs, two events, one request."""
    times = medians(5, *(partial(play, edits(count), side) for side in sides.both))
    return [
        Figure(f"an edit and its answer, {name}", t / count * 1e6, "µs") for name, t in zip(_SPEED, times, strict=True)
    ]
