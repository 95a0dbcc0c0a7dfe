"""The measures, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lockstep.quality.bench.arithmetic import questions
from lockstep.quality.bench.autoscaling import autoscaler, fleets, week
from lockstep.quality.bench.figures import Figure
from lockstep.quality.bench.parts import fuzzing, server, steps, suite
from lockstep.quality.bench.real_servers import compare_servers
from lockstep.quality.bench.runs import days, reconcile, scale, speed
from lockstep.quality.bench.served import traffic
from lockstep.quality.bench.sides import Sides
from lockstep.quality.bench.vertical import fleet as vertical_fleet
from lockstep.quality.bench.vertical import recommender

#: In the order in which they are taken.
MEASURES: dict[str, Callable[[Sides], list[Figure]]] = {
    "speed": speed,
    "hpa": autoscaler,
    "week": week,
    "fleet": fleets,
    "vpa": recommender,
    "vpa-fleet": vertical_fleet,
    "fuzz": fuzzing,
    "scale": scale,
    "server": server,
    "suite": suite,
    "days": days,
    "reconcile": reconcile,
    "steps": steps,
    "traffic": traffic,
    "oracle": questions,
    "servers": compare_servers,
}


def bench(names: Sequence[str], progress: Callable[[str], None]) -> list[Figure]:
    """Take the measures of these names, all if there are none.

    Raises KeyError on an unknown name, BenchFailed if one cannot be taken, and BuildFailed if upstream is needed and
    cannot be built.
    """
    chosen = {name: MEASURES[name] for name in names or MEASURES}
    figures = []
    with Sides(progress) as sides:
        for name, measure in chosen.items():
            progress(f"measuring {name}")
            figures += measure(sides)
    return figures
