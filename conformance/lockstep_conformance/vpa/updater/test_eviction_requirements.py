"""Evictions only in the direction that a VPA allows."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    container,
    evictions,
    loop,
    more,
    options,
    recommend,
    workload,
)

_UP, _DOWN = "TargetHigherThanRequests", "TargetLowerThanRequests"


@scenario(
    "vpa-updater/eviction-requirements",
    must="All requirements MUST hold, each of them for at least one of its resources.",
    source="pkg/updater/priority/scaling_direction_pod_eviction_admission.go: Admit",
    controllers=UPDATER,
    options=options(),
    features=("eviction-requirements",),
)
async def test_eviction_requirements(cluster: Cluster) -> None:
    need = objects.eviction_requirement
    cases = {
        "none": [],
        "cpu-up": [need(_UP, "cpu")],
        "memory-up": [need(_UP, "memory")],
        "either-up": [need(_UP, "cpu", "memory")],
        "cpu-up-memory-down": [need(_UP, "cpu"), need(_DOWN, "memory")],
        "both-up": [need(_UP, "cpu"), need(_UP, "memory")],
    }
    for name, requirements in cases.items():
        await cluster.create(workload(name, 2), objects.vpa(name, mode="Recreate", requirements=requirements))
        await recommend(cluster, more(cpu="200m", memory="50Mi"), name=name)
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    wanted = ["cpu-up", "cpu-up-memory-down", "either-up", "none"]
    cluster.expect("owners of evicted pods", evicted, wanted)


@scenario(
    "vpa-updater/requirements-of-any-container",
    must=(
        "It MUST be sufficient that the requirements hold for one container, or that one does not request CPU and "
        "memory."
    ),
    source="pkg/updater/priority/scaling_direction_pod_eviction_admission.go: Admit",
    controllers=UPDATER,
    options=options(),
    features=("eviction-requirements",),
)
async def test_requirements_of_any_container(cluster: Cluster) -> None:
    full, bare = {"cpu": "100m", "memory": "100Mi"}, {"cpu": "100m"}
    cases = {
        "second": ([full, full], [more("c0", "50m", "50Mi"), more("c1", "200m", "200Mi")]),
        "neither": ([full, full], [more("c0", "50m", "50Mi"), more("c1", "40m", "40Mi")]),
        "bare": ([full, bare], [more("c0", "50m", "50Mi"), more("c1", "40m", "40Mi")]),
        "bare-but-off": ([full, bare], [more("c0", "50m", "50Mi")]),
    }
    requirements = [objects.eviction_requirement(_UP, "cpu")]
    for name, (requests, recommended) in cases.items():
        containers = [container(f"c{index}", requests=each) for index, each in enumerate(requests)]
        await cluster.create(workload(name, 2, *containers))
        await cluster.create(objects.vpa(name, mode="Recreate", requirements=requirements))
        await recommend(cluster, *recommended, name=name)
    await cluster.run_until(loop(1))
    evicted = sorted(name.rpartition("-")[0] for _, name in evictions(cluster))
    cluster.expect("owners of evicted pods", evicted, ["bare", "second"])
