"""The measures by name, and taking them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.bench.arithmetic import questions
from harness.bench.autoscaling import autoscaler, fleets, week
from harness.bench.figures import Figure
from harness.bench.parts import fuzzing, server, steps, suite
from harness.bench.real_ground import ground
from harness.bench.runs import days, reconcile, scale, speed
from harness.bench.served import traffic
from harness.bench.sides import Sides
from harness.bench.vertical import fleet as vertical_fleet
from harness.bench.vertical import recommender

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
    "ground": ground,
}


def bench(names: Sequence[str], progress: Callable[[str], None]) -> list[Figure]:
    """Take the measures of these names, all if there are none.

    Raises KeyError on an unknown name, BenchFailed if one cannot be taken, and BuildFailed where upstream is needed and
    cannot be built.
    """
    chosen = {name: MEASURES[name] for name in names or MEASURES}
    figures = []
    with Sides(progress) as sides:
        for name, measure in chosen.items():
            progress(f"measuring {name}")
            figures += measure(sides)
    return figures
