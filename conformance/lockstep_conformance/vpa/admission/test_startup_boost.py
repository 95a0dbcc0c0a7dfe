"""More CPU while a container starts (feature gate CPUStartupBoost)."""

from __future__ import annotations

import json
from typing import Any

from lockstep import AdmissionOptions, Cluster, Options, VpaOptions, objects, scenario
from lockstep_conformance.vpa.admission.steps import (
    ADMISSION,
    annotations_of,
    container,
    prepare,
    resources_of,
    workload,
)

_BOOST = "pkg/admission-controller/resource/pod/patch/resource_updates.go: applyCPUStartupBoost"


def _options(**flags: Any) -> Options:
    return Options(
        vpa=VpaOptions(admission=AdmissionOptions(**flags), feature_gates={"CPUStartupBoost": True}),
    )


def _boost(**cpu: Any) -> objects.Object:
    return {"cpu": {"durationSeconds": 60, **cpu}}


@scenario(
    "vpa-admission/boost-by-a-factor",
    must="With a boost by a factor the recommended CPU MUST be multiplied, the limit MUST keep its proportion to the "
    "original request, and an annotation MUST keep what the container had.",
    source=_BOOST,
    controllers=ADMISSION,
    options=_options(),
)
async def test_boost_by_a_factor(cluster: Cluster) -> None:
    vpa = objects.vpa(startupBoost=_boost(type="Factor", factor=3))
    await prepare(cluster, vpa, objects.recommended(target={"cpu": "200m", "memory": "512Mi"}))
    requests, limits = {"cpu": "100m", "memory": "256Mi"}, {"cpu": "150m", "memory": "256Mi"}
    pod = await workload(cluster, container(requests=requests, limits=limits))
    wanted = {"requests": {"cpu": "600m", "memory": "512Mi"}, "limits": {"cpu": "900m", "memory": "512Mi"}}
    cluster.expect("resources", resources_of(pod), [wanted])
    kept = json.loads(annotations_of(pod)["vpaCpuStartupBoost/main"])
    cluster.expect("annotation", kept, {"requests": requests, "limits": limits})


@scenario(
    "vpa-admission/boost-by-an-amount-up-to-the-maximum",
    must="With a boost by an amount it MUST be added, up to --max-allowed-cpu-boost.",
    source=_BOOST,
    controllers=ADMISSION,
    options=_options(max_allowed_cpu_boost="450m"),
)
async def test_boost_by_an_amount_up_to_the_maximum(cluster: Cluster) -> None:
    vpa = objects.vpa(startupBoost=_boost(type="Quantity", quantity="300m"))
    await prepare(cluster, vpa, objects.recommended(target={"cpu": "100m"}))
    pod = await workload(cluster, container(requests={"cpu": "50m"}), container("side", requests={"cpu": "250m"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "400m"}}, {"requests": {"cpu": "450m"}}])


@scenario(
    "vpa-admission/boost-in-mode-off",
    must="A VPA in mode Off MUST boost all the same, from what the container asks for, and apply no recommendation.",
    source=_BOOST,
    controllers=ADMISSION,
    options=_options(),
)
async def test_boost_in_mode_off(cluster: Cluster) -> None:
    vpa = objects.vpa(mode="Off", startupBoost=_boost(type="Factor", factor=2))
    await prepare(cluster, vpa, objects.recommended(target={"cpu": "1", "memory": "1Gi"}))
    pod = await workload(cluster, container(requests={"cpu": "100m", "memory": "64Mi"}))
    cluster.expect("resources", resources_of(pod), [{"requests": {"cpu": "200m", "memory": "64Mi"}}])


@scenario(
    "vpa-admission/boost-of-requests-only",
    must="With RequestsOnly a boost MUST stay a milli below the limit.",
    source=f"{_BOOST} (capStartupBoostToContainerLimit)",
    controllers=ADMISSION,
    options=_options(),
)
async def test_boost_of_requests_only(cluster: Cluster) -> None:
    policy = objects.container_policy(values="RequestsOnly", startupBoost=_boost(type="Factor", factor=10))
    await prepare(cluster, objects.vpa(policies=[policy]), objects.recommended(target={"cpu": "100m"}))
    pod = await workload(cluster, container(requests={"cpu": "50m"}, limits={"cpu": "500m"}))
    wanted = {"requests": {"cpu": "499m"}, "limits": {"cpu": "500m"}}
    cluster.expect("resources", resources_of(pod), [wanted])
