"""The conditions of a VPA: about its target, its pods and its recommendation."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each
from lockstep.objects.autoscalers import reference
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.recommender.steps import (
    RECOMMENDER,
    after_loop,
    condition,
    serve,
    status,
    target,
)

_CONDITIONS = "pkg/recommender/model/vpa.go: UpdateConditions"
_SELECTOR = "pkg/recommender/input/cluster_feeder.go: getSelector"


@scenario(
    "vpa-recommender/no-pods-matched",
    must="A VPA without pods MUST report that, and MUST remove the condition when there are pods.",
    source=_CONDITIONS,
    controllers=RECOMMENDER,
)
async def test_no_pods_matched(cluster: Cluster) -> None:
    await serve(cluster, 0)
    await after_loop(cluster, 1)
    nothing = "No pods match this VPA object"
    cluster.expect("NoPodsMatched", condition(cluster, "NoPodsMatched"), f"True: {nothing}")
    cluster.expect("RecommendationProvided", condition(cluster, "RecommendationProvided"), f"False: {nothing}")
    await cluster.scale("web", 1)
    await after_loop(cluster, 2)
    cluster.expect("types", [one["type"] for one in status(cluster)["conditions"]], ["RecommendationProvided"])
    cluster.expect("RecommendationProvided later", condition(cluster, "RecommendationProvided"), "True")


@scenario(
    "vpa-recommender/recommendation-outlives-pods",
    must="The recommendation MUST remain when the pods are gone, and the lack of pods MUST be reported.",
    source=_CONDITIONS,
    controllers=RECOMMENDER,
)
async def test_recommendation_outlives_pods(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 2)
    known = target(cluster)
    await cluster.scale("web", 0)
    await after_loop(cluster, 3)
    cluster.expect("NoPodsMatched", condition(cluster, "NoPodsMatched"), "True: No pods match this VPA object")
    cluster.expect("RecommendationProvided", condition(cluster, "RecommendationProvided"), "True")
    cluster.expect("target", target(cluster), known)


@scenario(
    "vpa-recommender/pending-pods-do-not-match",
    must="Pods that are still pending MUST NOT count.",
    source="pkg/recommender/input/cluster_feeder.go: newPodClients",
    controllers=RECOMMENDER,
)
async def test_pending_pods_do_not_match(cluster: Cluster) -> None:
    cluster.scheduler.place = lambda *_: None
    await serve(cluster, 2)
    await after_loop(cluster, 1)
    cluster.expect("NoPodsMatched", condition(cluster, "NoPodsMatched"), "True: No pods match this VPA object")


@scenario(
    "vpa-recommender/target-does-not-exist",
    must="A VPA whose target does not exist MUST report that, and MUST have a recommendation as soon as it exists.",
    source=_SELECTOR,
    controllers=RECOMMENDER,
)
async def test_target_does_not_exist(cluster: Cluster) -> None:
    await cluster.create(objects.vpa("web"))
    await after_loop(cluster, 1)
    cluster.expect(
        "ConfigUnsupported",
        condition(cluster, "ConfigUnsupported"),
        "True: Cannot read targetRef. Reason: ReplicaSet default/web does not exist",
    )
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    await cluster.create(objects.replica_set("web", 1))
    await after_loop(cluster, 2)
    cluster.expect("ConfigUnsupported later", condition(cluster, "ConfigUnsupported"), "")
    cluster.expect("RecommendationProvided", condition(cluster, "RecommendationProvided"), "True")


@scenario(
    "vpa-recommender/target-has-a-parent",
    must="A target that another controller owns MUST be refused.",
    source="pkg/recommender/input/cluster_feeder.go: validateTargetRef",
    controllers=RECOMMENDER,
)
async def test_target_has_a_parent(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    cluster.owners.manage("deployments")
    owner = await cluster.create(objects.deployment("web", 1))
    await cluster.run(5)
    inner = cluster.list("replicasets.apps")[0]["metadata"]["name"]
    cluster.expect("owner", owner["kind"], "Deployment")
    await cluster.create(
        objects.vpa("inner", target=reference("ReplicaSet", inner)), objects.vpa("outer", target=owner)
    )
    await after_loop(cluster, 1)
    message = (
        f"True: The target apps/v1.ReplicaSet/{inner} has a parent controller "
        "but it should point to a topmost well-known or scalable controller"
    )
    cluster.expect("ConfigUnsupported", condition(cluster, "ConfigUnsupported", "inner"), message)
    cluster.expect("the parent's own", condition(cluster, "RecommendationProvided", "outer"), "True")


@scenario(
    "vpa-recommender/kind-without-scale",
    must="A target of a kind without a scale MUST be refused with the API server's message.",
    source="pkg/target/fetcher.go: getLabelSelectorFromResource",
    controllers=RECOMMENDER,
)
async def test_kind_without_scale(cluster: Cluster) -> None:
    await cluster.create(
        objects.vpa("config", target=reference("ConfigMap", "web", "v1")),
        objects.vpa("nonsense", target=reference("Nonsense", "web", "example.com/v1")),
        objects.vpa("node", target=reference("Node", "node-1", "v1")),
    )
    await after_loop(cluster, 1)
    for name in ("config", "nonsense", "node"):
        said = condition(cluster, "ConfigUnsupported", name)
        cluster.expect_true(f"{name} is refused", said.startswith("True: Cannot read targetRef. Reason: unhandled"))


@scenario(
    "vpa-recommender/transition-time-stays",
    must="A condition's lastTransitionTime MUST NOT change while its status does not.",
    source="pkg/recommender/model/vpa.go: vpaConditionsMap.Set",
    controllers=RECOMMENDER,
)
async def test_transition_time_stays(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 5)
    found = status(cluster)["conditions"]
    cluster.expect("times", [one["lastTransitionTime"] for one in found], ["2000-01-01T00:01:00Z"])
    cluster.expect("writes", len(cluster.writes("patch", VPAS)), 5)


@scenario(
    "vpa-recommender/custom-target-with-scale",
    must="A custom resource with a scale MUST be accepted as a target, by the selector in its scale.",
    source="pkg/target/fetcher.go: getLabelSelectorFromResource",
    controllers=RECOMMENDER,
)
async def test_custom_target_with_scale(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    await cluster.create(objects.definition("Fleet"))
    cluster.owners.manage("fleets.example.com")
    fleet = await cluster.create(objects.custom("Fleet", "web", 2))
    await cluster.create(objects.vpa("web", target=fleet))
    await after_loop(cluster, 2)
    cluster.expect("ConfigUnsupported", condition(cluster, "ConfigUnsupported"), "")
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})
    await cluster.delete("fleets.example.com", "web")
    await after_loop(cluster, 3)
    cluster.expect(
        "ConfigUnsupported without it",
        condition(cluster, "ConfigUnsupported"),
        "True: Cannot read targetRef. Reason: unhandled targetRef example.com/v1 / Fleet / web, last error "
        'fleets.example.com "web" not found',
    )
