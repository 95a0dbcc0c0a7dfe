"""How a VPA's policies change a recommendation."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import each
from lockstep.objects.definitions import CHECKPOINTS
from lockstep_conformance.vpa.recommender.steps import (
    RECOMMENDER,
    after_loop,
    recommendation,
    serve,
    status,
    target,
)

_CAPPING = ("pkg/recommender/routines/capping_post_processor.go: Process", "pkg/utils/vpa/capping.go: ApplyVPAPolicy")


async def _two(cluster: Cluster, **spec: Any) -> None:
    """A pod with two containers, and its VPA."""
    cluster.metrics.load("web", cpu=each("500m"), memory=each("500Mi"), container="main")
    cluster.metrics.load("web", cpu=each("10m"), memory=each("20Mi"), container="side")
    containers = [objects.container("main"), objects.container("side")]
    template = objects.pod_template({"app": "web"}, containers=containers)
    await cluster.create(objects.replica_set("web", 1, template=template), objects.vpa("web", **spec))


@scenario(
    "vpa-recommender/minimum-is-shared",
    must="The minimum for a pod MUST be divided among its containers.",
    source="pkg/recommender/logic/recommender.go: GetRecommendedPodResources",
    controllers=RECOMMENDER,
)
async def test_minimum_is_shared(cluster: Cluster) -> None:
    await _two(cluster)
    await after_loop(cluster, 2)
    cluster.expect("side", target(cluster, "side"), {"cpu": "23m", "memory": "125Mi"})
    names = [one["containerName"] for one in status(cluster)["recommendation"]["containerRecommendations"]]
    cluster.expect("order", names, ["main", "side"])


@scenario(
    "vpa-recommender/policy-bounds",
    must="Targets and bounds MUST be kept within minAllowed and maxAllowed, of which the maximum takes precedence.",
    source=_CAPPING,
    issues="kubernetes/autoscaler#4763",
    controllers=RECOMMENDER,
)
async def test_policy_bounds(cluster: Cluster) -> None:
    policies = [
        objects.container_policy("main", min_allowed={"memory": "1Gi"}, max_allowed={"cpu": "300m"}),
        objects.container_policy("*", min_allowed={"cpu": "2"}, max_allowed={"cpu": "1"}),
    ]
    await _two(cluster, policies=policies)
    await after_loop(cluster, 2)
    cluster.expect("main", target(cluster), {"cpu": "300m", "memory": "1Gi"})
    cluster.expect("side", (target(cluster, "side") or {})["cpu"], "1")
    cluster.expect("before the policy", (recommendation(cluster) or {})["uncappedTarget"]["cpu"], "587m")


@scenario(
    "vpa-recommender/container-that-is-off",
    must="A container whose mode is Off MUST NOT get a recommendation, nor a share of the minimum.",
    source="pkg/recommender/routines/vpa.go: GetContainerNameToAggregateStateMap",
    controllers=RECOMMENDER,
)
async def test_container_that_is_off(cluster: Cluster) -> None:
    await _two(cluster, policies=[objects.container_policy("main", mode="Off")])
    await after_loop(cluster, 2)
    cluster.expect("main", recommendation(cluster), None)
    cluster.expect("side", target(cluster, "side"), {"cpu": "25m", "memory": "250Mi"})


@scenario(
    "vpa-recommender/controlled-resources",
    must="Only resources that the policy controls MUST be recommended.",
    source="pkg/recommender/logic/recommender.go: FilterControlledResources",
    controllers=RECOMMENDER,
)
async def test_controlled_resources(cluster: Cluster) -> None:
    policies = [objects.container_policy("main", controlled=["cpu"]), objects.container_policy("side", controlled=[])]
    await _two(cluster, policies=policies)
    await after_loop(cluster, 2)
    cluster.expect("main", target(cluster), {"cpu": "587m"})
    cluster.expect("side", target(cluster, "side"), {})


@scenario(
    "vpa-recommender/global-maximum",
    must="The maximum of the flags MUST apply if a policy sets none.",
    source=_CAPPING,
    controllers=RECOMMENDER,
    options=Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(
                container_recommendation_max_allowed_cpu="200m", container_recommendation_max_allowed_memory="100Mi"
            )
        )
    ),
)
async def test_global_maximum(cluster: Cluster) -> None:
    await _two(cluster, policies=[objects.container_policy("main", max_allowed={"cpu": "400m"})])
    await after_loop(cluster, 2)
    cluster.expect("main", target(cluster), {"cpu": "400m", "memory": "100Mi"})
    cluster.expect("side", target(cluster, "side"), {"cpu": "23m", "memory": "100Mi"})


@scenario(
    "vpa-recommender/whole-cpus",
    must="With the flag and the annotation, CPU MUST be rounded up to whole CPUs, before any cap.",
    source="pkg/recommender/routines/cpu_integer_post_processor.go: Process",
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(cpu_integer_post_processor_enabled=True))),
)
async def test_whole_cpus(cluster: Cluster) -> None:
    annotations = {"vpa-post-processor.kubernetes.io/main_integerCPU": "true"}
    await _two(
        cluster,
        policies=[objects.container_policy("side", max_allowed={"cpu": "20m"})],
        metadata={"annotations": annotations},
    )
    await after_loop(cluster, 2)
    cluster.expect("main", (target(cluster) or {})["cpu"], "1")
    cluster.expect("before any cap", (recommendation(cluster) or {})["uncappedTarget"]["cpu"], "1")
    cluster.expect("side", (target(cluster, "side") or {})["cpu"], "20m")


@scenario(
    "vpa-recommender/rounding",
    must="Amounts MUST be rounded up to multiples of the flags' values.",
    source="pkg/recommender/model/types.go: ResourcesAsResourceList",
    controllers=RECOMMENDER,
    options=Options(
        vpa=VpaOptions(recommender=RecommenderOptions(round_cpu_millicores=50, round_memory_bytes=32 * 1024 * 1024))
    ),
)
async def test_rounding(cluster: Cluster) -> None:
    await _two(cluster)
    await after_loop(cluster, 2)
    cluster.expect("main", target(cluster), {"cpu": "600m", "memory": "608Mi"})
    cluster.expect("side", target(cluster, "side"), {"cpu": "50m", "memory": "128Mi"})


@scenario(
    "vpa-recommender/per-vpa-config-is-off",
    must="Settings of single VPAs MUST be ignored while the feature gate PerVPAConfig is off.",
    source="pkg/recommender/model/aggregate_container_state.go: UpdateFromPolicy",
    controllers=RECOMMENDER,
)
async def test_per_vpa_config_is_off(cluster: Cluster) -> None:
    await serve(cluster, policies=[objects.container_policy("main", memoryAggregationIntervalSeconds=60)])
    await after_loop(cluster, 5)
    memory = cluster.get(CHECKPOINTS, "web-main")["status"]["memoryHistogram"]
    cluster.expect("finished intervals", "bucketWeights" in memory, False)


@scenario(
    "vpa-recommender/per-vpa-config",
    must="With the feature gate PerVPAConfig a VPA's own aggregation interval MUST apply.",
    source="pkg/recommender/model/aggregate_container_state.go: UpdateFromPolicy",
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(feature_gates={"PerVPAConfig": True})),
)
async def test_per_vpa_config(cluster: Cluster) -> None:
    await serve(cluster, policies=[objects.container_policy("main", memoryAggregationIntervalSeconds=60)])
    await after_loop(cluster, 5)
    memory = cluster.get(CHECKPOINTS, "web-main")["status"]["memoryHistogram"]
    cluster.expect("finished intervals", "bucketWeights" in memory, True)
