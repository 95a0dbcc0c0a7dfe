"""The closed loop under realistic demands: daily curves, noise, and recorded demands."""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, scenario
from lockstep.metrics import constant, daily, noisy, recorded, shared
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import scales
from lockstep_fixtures import ROOT as FIXTURES

_LOOP = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"
_LOADS = FIXTURES / "loads"


@scenario(
    "hpa/demand-in-the-course-of-a-day",
    must="Replicas MUST follow a daily curve: up without delay, and down after the window.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-daily"),
    options=Options(hpa=HpaOptions(sync_period=120.0)),
)
async def test_demand_in_the_course_of_a_day(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(daily(0.5, 4.0, peak_hour=14)))
    await serve(cluster, 1)
    await cluster.run_until(24 * 3600)
    at_night = [(120.0, 2), (5520.0, 1)]
    up = [(10800.0, 2), (19200.0, 3), (24240.0, 4), (28800.0, 5), (33240.0, 6), (38280.0, 7), (46080.0, 8)]
    down = [(61200.0, 7), (66240.0, 6), (70200.0, 5), (73920.0, 4), (78240.0, 3), (83040.0, 2)]
    cluster.expect("scales", scales(cluster), at_night + up + down)


@scenario(
    "hpa/noise-within-the-tolerance",
    must="A demand that varies by less than the tolerance MUST NOT change replicas.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-noisy"),
)
async def test_noise_within_the_tolerance(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(noisy(constant(3), 0.09, seed=4)))
    await serve(cluster, 6)
    await cluster.run_until(1800)
    cluster.expect("scales", scales(cluster), [])


@scenario(
    "hpa/noise-beyond-the-tolerance",
    must=(
        "A demand that varies by more than the tolerance MUST make replicas rise to its peaks, and stay there while "
        "peaks are less than a window apart."
    ),
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-noisy"),
)
async def test_noise_beyond_the_tolerance(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(noisy(constant(3), 0.4, seed=4)))
    await serve(cluster, 6, max_replicas=12)
    await cluster.run_until(1800)
    cluster.expect("scales", scales(cluster), [(75.0, 7), (180.0, 9), (1455.0, 8)])


@scenario(
    "hpa/pods-that-share-unevenly",
    must="How evenly pods share a demand MUST NOT matter: only the average counts.",
    source="pkg/controller/podautoscaler/metrics/utilization.go: GetResourceUtilizationRatio",
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-noisy", "load-shared"),
)
async def test_pods_that_share_unevenly(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(3, noise=0.5, seed=9))
    await serve(cluster, 2)
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(30.0, 4), (45.0, 6)])


@scenario(
    "hpa/demand-recorded-as-csv",
    must="Replicas MUST follow a demand that was recorded.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-recorded"),
)
async def test_demand_recorded_as_csv(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(recorded(_LOADS / "evening.csv")))
    await serve(cluster, 2)
    await cluster.run_until(3000)
    up = [(240.0, 3), (420.0, 4), (540.0, 5), (600.0, 6), (720.0, 8)]
    down = [(1320.0, 7), (1380.0, 6), (1440.0, 5), (2040.0, 4), (2100.0, 3), (2280.0, 2)]
    cluster.expect("scales", scales(cluster), up + down)


@scenario(
    "hpa/demand-exported-from-prometheus",
    must="Replicas of two workloads MUST each follow their own series of one export.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-recorded"),
)
async def test_demand_exported_from_prometheus(cluster: Cluster) -> None:
    for name in ("web", "db"):
        cluster.metrics.load(name, cpu=shared(recorded(_LOADS / "sale.json", labels={"job": name})))
        await serve(cluster, 1, name=name)
    await cluster.run_until(2400)
    cluster.expect("scales of web", scales(cluster), [(30.0, 2), (360.0, 4), (375.0, 6), (1200.0, 2)])
    cluster.expect("scales of db", scales(cluster, "db"), [])
