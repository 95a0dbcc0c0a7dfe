"""Figures of the HPA: an end-to-end test, a week, and a fleet. The ReplicaSet controller runs too: a closed loop."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lockstep import objects
from lockstep.metrics import daily, shared, steps
from lockstep.quality.bench.figures import BenchFailed, Figure, at_least, at_most, best, medians
from lockstep.quality.bench.workloads import play
from lockstep.scenarios.declare import Scenario

if TYPE_CHECKING:
    from lockstep.quality.bench.sides import Sides
    from lockstep.scenarios.cluster import Cluster
    from lockstep.scenarios.declare import Body

_SIDES = ("reference", "upstream")
_TARGETS = {"reference": 10.0, "upstream": 100.0}
_ROUNDS = 9
_DAY = 24 * 3600.0


def autoscaler(sides: Sides) -> list[Figure]:
    """A quarter of an hour with 20 pods, as one of upstream's own end-to-end tests takes it in real time."""
    scenario = end_to_end()
    for side in sides.both:
        play(scenario, side)
    times = best(_ROUNDS, *(partial(play, scenario, side) for side in sides.both))
    figures = [
        Figure(f"HPA, 15 min with 20 pods, {name}", taken * 1e3, "ms", at_most(_TARGETS[name]))
        for name, taken in zip(_SIDES, times, strict=True)
    ]
    return [*figures, Figure("the same, upstream to reference", times[1] / times[0], "times its time", at_least(5.0))]


def week(sides: Sides) -> list[Figure]:
    """Seven virtual days of one HPA, and whether the cost grows with the days or with the pods."""
    sides.progress("seven virtual days of an HPA")
    side = sides.reference
    one, more, seven = medians(
        1, partial(play, days(1), side), partial(play, days(1, pods=40), side), partial(play, days(7), side)
    )
    return [
        Figure("HPA, 7 days of a daily curve, reference", seven, "s", at_most(6.0)),
        Figure("a day of 7 to a single one", seven / 7 / one, "times", at_most(1.2)),
        Figure("a day with 4 times the pods to one without", more / one, "times", at_most(4.0)),
    ]


def fleets(sides: Sides, size: int = 500, minutes: int = 30) -> list[Figure]:
    """Many HPAs, each with its own target."""
    sides.progress(f"{size} HPAs on both implementations")
    times = medians(1, *(partial(play, fleet(size, minutes), side) for side in sides.both))
    figures = [
        Figure(f"{size} HPAs, {minutes} min, {name}", taken, "s") for name, taken in zip(_SIDES, times, strict=True)
    ]
    return [*figures, Figure("the same, reference to upstream", times[0] / times[1], "times its time", at_most(1.0))]


def end_to_end(pods: int = 20) -> Scenario:
    """A quarter of an hour like in upstream's own tests: the load grows until there are `pods` pods, then it falls."""

    async def body(cluster: Cluster) -> None:
        # 0.2 cores for each pod: half of its request of 0.4 cores.
        cluster.metrics.load("web", cpu=shared(steps((0, pods * 0.1), (120, pods * 0.2), (480, pods * 0.15))))
        await cluster.create(_workload("web", pods // 2), objects.hpa("web", max_replicas=2 * pods, metrics=[_CPU]))
        await cluster.run(470)
        _check("pods at the height", len(cluster.pods("web")), pods)
        await cluster.run_until(900)
        _check("pods at the end", len(cluster.pods("web")), pods * 3 // 4)

    return _scenario("end-to-end", body)


def days(count: int, pods: int = 10) -> Scenario:
    """An HPA whose load follows the hour of the day, between one pod and so many."""

    async def body(cluster: Cluster) -> None:
        cluster.metrics.load("web", cpu=shared(daily(0.2, pods * 0.2)))
        await cluster.create(_workload("web", 1), objects.hpa("web", max_replicas=2 * pods, metrics=[_CPU]))
        await cluster.run(count * _DAY)

    return _scenario("days", body)


def fleet(size: int, minutes: int) -> Scenario:
    """Many HPAs, each with its own target and one change of load."""

    async def body(cluster: Cluster) -> None:
        for number in range(size):
            name = f"web-{number}"
            cluster.metrics.load(name, cpu=shared(steps((0, 0.2), (300 + number % 60, 0.6))))
            await cluster.create(_workload(name, 1), objects.hpa(name, max_replicas=5, metrics=[_CPU]))
        await cluster.run(minutes * 60)
        _check("pods at the end", len(cluster.pods()), 3 * size)

    return _scenario("fleet", body)


_CPU = objects.resource_metric("cpu", utilization=50)


def _workload(name: str, replicas: int) -> dict[str, object]:
    container = objects.container(resources={"requests": {"cpu": "400m"}})
    return objects.replica_set(name, replicas, template=objects.pod_template({"app": name}, containers=[container]))


def _check(what: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise BenchFailed(f"{what}: {found}, and not {wanted}; run `lockstep run --controller hpa` first")


def _scenario(name: str, body: Body) -> Scenario:
    return Scenario(
        f"hpa/bench-{name}",
        "A controller MUST be quick.",
        ("lockstep bench",),
        body,
        controllers=("hpa", "replicaset"),
        horizon=60 * _DAY,
    )
