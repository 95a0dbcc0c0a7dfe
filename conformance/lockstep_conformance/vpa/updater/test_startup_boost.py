"""The end of CPU startup boosts, behind their gate."""

from __future__ import annotations

import json
from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep_conformance.vpa.updater.steps import (
    UPDATER,
    container,
    counts,
    evictions,
    loop,
    more,
    options,
    recommend,
    resizes,
    workload,
)

_GATE = {"CPUStartupBoost": True}
_KEY = "vpaCpuStartupBoost/main"
_ORIGINAL = {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {}}


def _boosted(name: str = "web", replicas: int = 2) -> dict[str, Any]:
    made = workload(name, replicas, container(requests={"cpu": "400m", "memory": "100Mi"}))
    made["spec"]["template"]["metadata"]["annotations"] = {_KEY: json.dumps(_ORIGINAL)}
    return made


def _boosting(name: str = "web", mode: str = "Recreate", seconds: int = 90) -> dict[str, Any]:
    return objects.vpa(
        name, mode=mode, startupBoost={"cpu": {"type": "Factor", "factor": 4, "durationSeconds": seconds}}
    )


def _cpu(cluster: Cluster, name: str = "web") -> list[str]:
    return [pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] for pod in cluster.pods(name)]


@scenario(
    "vpa-updater/boost-ends",
    must=(
        "A boost and its annotation MUST be removed once the pod has been ready for the boost's duration, within the "
        "tolerance."
    ),
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(_GATE),
    features=("startup-boost",),
)
async def test_boost_ends(cluster: Cluster) -> None:
    await cluster.create(_boosted(), _boosting())
    await recommend(cluster, more(cpu="150m", memory="100Mi"))
    await cluster.run_until(loop(1))
    cluster.expect("resizes within the duration", resizes(cluster), [])
    await cluster.run_until(loop(3))
    cluster.expect("resizes", counts(resizes(cluster)), {119.1: 1, 179.1: 1})
    cluster.expect("CPU", _cpu(cluster), ["150m"] * 2)
    marks = [pod["metadata"]["annotations"] for pod in cluster.pods("web")]
    cluster.expect("annotations", marks, [{"vpaInPlaceUpdated": "true"}] * 2)
    cluster.expect("evictions", evictions(cluster), [])


@scenario(
    "vpa-updater/boost-ends-with-what-was-before",
    must="In the mode Off a boost MUST be reverted to the pod's original resources, although it has no recommendation.",
    source="pkg/updater/inplace/resource_updates.go: getContainerResourcesForUnboost",
    controllers=UPDATER,
    options=options(_GATE),
    features=("startup-boost", "modes"),
)
async def test_boost_ends_with_what_was_before(cluster: Cluster) -> None:
    await cluster.create(_boosted(), _boosting(mode="Off", seconds=0))
    await recommend(cluster, more())
    await cluster.run_until(loop(3))
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 1, 119.1: 1})
    cluster.expect("CPU", _cpu(cluster), ["100m"] * 2)


@scenario(
    "vpa-updater/boost-of-a-single-pod",
    must="A boost MUST be removed in groups below --min-replicas as well.",
    source="pkg/updater/restriction/pods_restriction_factory.go: GetCreatorMaps",
    controllers=UPDATER,
    options=options(_GATE),
    features=("startup-boost", "min-replicas"),
)
async def test_boost_of_a_single_pod(cluster: Cluster) -> None:
    await cluster.create(_boosted(replicas=1), _boosting(seconds=0))
    await recommend(cluster, more(cpu="150m", memory="100Mi"))
    await cluster.run_until(loop(1))
    cluster.expect("resizes", counts(resizes(cluster)), {59.1: 1})


@scenario(
    "vpa-updater/boost-keeps-from-updates",
    must="A pod MUST NOT be evicted while it is boosted, however far it is from its recommendation.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(_GATE),
    features=("startup-boost", "eviction"),
)
async def test_boost_keeps_from_updates(cluster: Cluster) -> None:
    await cluster.create(_boosted(), _boosting(seconds=3600))
    await recommend(cluster, more(cpu="1", memory="1Gi"))
    await cluster.run_until(loop(3))
    cluster.expect("evictions", evictions(cluster), [])
    cluster.expect("resizes", resizes(cluster), [])


@scenario(
    "vpa-updater/boost-without-its-gate",
    must="Without the gate CPUStartupBoost the annotation of a boost MUST NOT prevent an eviction.",
    source="pkg/updater/logic/updater.go: RunOnce",
    controllers=UPDATER,
    options=options(),
    features=("startup-boost", "feature-gates"),
)
async def test_boost_without_its_gate(cluster: Cluster) -> None:
    await cluster.create(_boosted(), _boosting(seconds=0))
    await recommend(cluster, more(cpu="1", memory="1Gi"))
    await cluster.run_until(loop(1))
    cluster.expect("resizes", resizes(cluster), [])
    cluster.expect("evictions", counts(evictions(cluster)), {59.1: 1})
