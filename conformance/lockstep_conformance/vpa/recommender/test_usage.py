"""Which usage the recommender counts, and which it leaves out."""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import each
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.recommender.steps import (
    RECOMMENDER,
    after_loop,
    checkpoint,
    condition,
    loop,
    moments,
    recommendation,
    serve,
    target,
)

_METRICS = "pkg/recommender/input/cluster_feeder.go: LoadRealTimeMetrics"
_PODS = "pods.metrics.k8s.io"


@scenario(
    "vpa-recommender/metrics-outage",
    must="Without metrics the recommender MUST keep its recommendation, and MUST continue when they are back.",
    source=_METRICS,
    controllers=RECOMMENDER,
)
async def test_metrics_outage(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 3)
    known = target(cluster)
    outage = cluster.faults.error(503, resource=_PODS, verb="list", times=None)
    await after_loop(cluster, 6)
    cluster.expect("target", target(cluster), known)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 3)
    cluster.expect("RecommendationProvided", condition(cluster, "RecommendationProvided"), "True")
    outage.stop()
    await after_loop(cluster, 8)
    cluster.expect("samples later", checkpoint(cluster)["totalSamplesCount"], 5)


@scenario(
    "vpa-recommender/no-metrics-at-all",
    must=(
        "For pods without any metrics there MUST still be a recommendation: the minimum, with an unlimited upper bound."
    ),
    source=_METRICS,
    controllers=RECOMMENDER,
)
async def test_no_metrics_at_all(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1), objects.vpa("web"))
    await after_loop(cluster, 3)
    cluster.expect("target", target(cluster), {"cpu": "25m", "memory": "250Mi"})
    cluster.expect("RecommendationProvided", condition(cluster, "RecommendationProvided"), "True")
    cluster.expect("samples", checkpoint(cluster).get("totalSamplesCount", 0), 0)


@scenario(
    "vpa-recommender/same-sample-twice",
    must="A measurement MUST NOT count twice.",
    source="pkg/recommender/model/container.go: addCPUSample",
    controllers=RECOMMENDER,
)
async def test_same_sample_twice(cluster: Cluster) -> None:
    cluster.metrics.scrape(period=600)
    await serve(cluster)
    await cluster.run_until(loop(25))
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 2)


@scenario(
    "vpa-recommender/init-containers-are-left-out",
    must="Init containers MUST NOT get recommendations.",
    source="pkg/recommender/input/cluster_feeder.go: LoadPods",
    controllers=RECOMMENDER,
)
async def test_init_containers_are_left_out(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    template = objects.pod_template({"app": "web"}, containers=[objects.container("main")])
    template["spec"]["initContainers"] = [objects.container("prepare")]
    await cluster.create(objects.replica_set("web", 1, template=template), objects.vpa("web"))
    await after_loop(cluster, 2)
    cluster.expect_true("main", recommendation(cluster))
    cluster.expect("prepare", recommendation(cluster, "prepare"), None)


@scenario(
    "vpa-recommender/container-becomes-a-sidecar",
    must=(
        "Usage of an init container MUST NOT count, even if an earlier pod of that name had an ordinary container of "
        "the same name."
    ),
    source=_METRICS,
    controllers=RECOMMENDER,
    features=("owners",),
)
async def test_container_becomes_a_sidecar(cluster: Cluster) -> None:
    cluster.owners.manage("statefulsets")
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    main, side = objects.container("main"), objects.container("side")
    template = objects.pod_template({"app": "web"}, containers=[main, side])
    await cluster.create(objects.stateful_set("web", 1, template=template), objects.vpa(target="StatefulSet"))
    await after_loop(cluster, 3)
    sidecar = {**side, "restartPolicy": "Always"}
    await cluster.patch(
        "statefulsets", "web", {"spec": {"template": {"spec": {"containers": [main], "initContainers": [sidecar]}}}}
    )
    await after_loop(cluster, 6)
    cluster.expect("containers", [one["name"] for one in cluster.pods("web")[0]["spec"]["containers"]], ["main"])
    cluster.expect("samples of main", checkpoint(cluster)["totalSamplesCount"], 6)
    cluster.expect("samples of side", checkpoint(cluster, "web-side")["totalSamplesCount"], 3)


@scenario(
    "vpa-recommender/pods-that-come-and-go",
    must="Samples of deleted pods MUST be kept, and those of new pods MUST be added.",
    source="pkg/recommender/model/cluster.go: DeletePod",
    controllers=RECOMMENDER,
)
async def test_pods_that_come_and_go(cluster: Cluster) -> None:
    await serve(cluster, 2)
    await after_loop(cluster, 5)
    await cluster.scale("web", 0)
    await after_loop(cluster, 8)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 10)
    await cluster.scale("web", 1)
    await after_loop(cluster, 10)
    cluster.expect("samples of all", checkpoint(cluster)["totalSamplesCount"], 12)


@scenario(
    "vpa-recommender/external-metrics",
    must="With --use-external-metrics usage MUST come from the external metrics of each pod.",
    source="pkg/recommender/input/metrics/metrics_source.go: List",
    controllers=RECOMMENDER,
    options=Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(
                use_external_metrics=True, external_metrics_cpu_metric="cpu", external_metrics_memory_metric="memory"
            )
        )
    ),
)
async def test_external_metrics(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 1), objects.vpa("web"))
    await cluster.run(5)
    pod = cluster.pods("web")[0]["metadata"]["name"]
    labels = {"app": "web", "pod": pod, "name": "main"}
    cluster.metrics.external("cpu", 0.3, labels=labels)
    cluster.metrics.external("memory", "400Mi", labels=labels)
    await after_loop(cluster, 3)
    cluster.expect("target", target(cluster), {"cpu": "350m", "memory": "511772986"})


@scenario(
    "vpa-recommender/refused-status-is-tried-again",
    must="A status that the API server refused MUST be written by the next loop.",
    source="pkg/recommender/routines/recommender.go: processVPAUpdate",
    controllers=RECOMMENDER,
)
async def test_refused_status_is_tried_again(cluster: Cluster) -> None:
    cluster.faults.error(500, verb="patch", subresource="status", times=2)
    await serve(cluster)
    await after_loop(cluster, 2)
    cluster.expect("recommendation", recommendation(cluster), None)
    await after_loop(cluster, 3)
    cluster.expect_true("recommendation later", recommendation(cluster))
    cluster.expect("attempts", moments(cluster, "patch", VPAS)[:2], [59.3, 119.3])


@scenario(
    "vpa-recommender/vpas-seen-late",
    must="A recommender with a stale cache of VPAs MUST work with that cache, and MUST catch up.",
    source="pkg/recommender/input/cluster_feeder.go: LoadVPAs",
    controllers=RECOMMENDER,
)
async def test_vpas_seen_late(cluster: Cluster) -> None:
    cluster.network.hold(VPAS)
    await serve(cluster)
    await after_loop(cluster, 3)
    cluster.expect("recommendation", recommendation(cluster), None)
    cluster.network.release(VPAS)
    await after_loop(cluster, 4)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 4)
