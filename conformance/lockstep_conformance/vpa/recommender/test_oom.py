"""Recommendations for containers that ran out of memory."""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import each
from lockstep.world import pick
from lockstep_conformance.vpa.recommender.steps import RECOMMENDER, after_loop, serve, target

_OBSERVER = "pkg/recommender/input/oom/observer.go: OnUpdate"


async def _serve(cluster: Cluster, memory: str) -> None:
    app = objects.container(name="main", resources={"requests": {"cpu": "100m", "memory": memory}})
    cluster.metrics.load("web", cpu=each("100m"), memory=each("300Mi"))
    template = objects.pod_template({"app": "web"}, containers=[app])
    await cluster.create(objects.replica_set("web", 1, template=template), objects.vpa("web"))


@scenario(
    "vpa-recommender/oom-kill-raises-memory",
    must="A container that was OOM-killed MUST count as one that needs more memory than it had.",
    source=(_OBSERVER, "pkg/recommender/model/container.go: RecordOOM"),
    controllers=RECOMMENDER,
)
async def test_oom_kill_raises_memory(cluster: Cluster) -> None:
    await _serve(cluster, "1Gi")
    await after_loop(cluster, 2)
    before = target(cluster) or {}
    cluster.kubelet.oom_kill(pick(cluster.pods("web")))
    await after_loop(cluster, 3)
    after = target(cluster) or {}
    cluster.expect("memory before", before["memory"], "380258472")
    # 1.2 GiB and the safety margin
    cluster.expect("memory after", after["memory"], "1555165137")


@scenario(
    "vpa-recommender/oom-kill-seen-late",
    must="A kill MUST also be noticed if the container is running again before its end was observed.",
    source=_OBSERVER,
    controllers=RECOMMENDER,
)
async def test_oom_kill_seen_late(cluster: Cluster) -> None:
    await _serve(cluster, "200Mi")
    await after_loop(cluster, 2)
    cluster.kubelet.oom_kill(pick(cluster.pods("web")), down=0)
    await after_loop(cluster, 3)
    # 300 MiB were used, so that 100 MiB more are needed.
    cluster.expect("memory", (target(cluster) or {})["memory"], "511772986")


@scenario(
    "vpa-recommender/oom-kill-before-the-first-sample",
    must="A kill MUST NOT count if it happened more than an interval of memory peaks before the newest sample.",
    source="pkg/recommender/model/container.go: RecordOOM",
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(memory_aggregation_interval=30.0))),
)
async def test_oom_kill_before_the_first_sample(cluster: Cluster) -> None:
    await _serve(cluster, "1Gi")
    await cluster.run(10.0)
    cluster.kubelet.oom_kill(pick(cluster.pods("web")), down=0)
    await after_loop(cluster, 2)
    cluster.expect(
        "restarts", [one["status"]["containerStatuses"][0]["restartCount"] for one in cluster.pods("web")], [1]
    )
    # of the 300 MiB that were used, not of the 1 GiB at which the container was killed
    cluster.expect("memory", (target(cluster) or {})["memory"], "380258472")


@scenario(
    "vpa-recommender/ordinary-restart-is-no-oom",
    must="A container that fails for another reason MUST NOT raise the recommendation.",
    source=_OBSERVER,
    controllers=RECOMMENDER,
)
async def test_ordinary_restart_is_no_oom(cluster: Cluster) -> None:
    await _serve(cluster, "1Gi")
    await after_loop(cluster, 2)
    before = target(cluster)
    cluster.kubelet.restart(pick(cluster.pods("web")))
    await after_loop(cluster, 3)
    cluster.expect("target", target(cluster), before)


@scenario(
    "vpa-recommender/eviction-raises-memory",
    must="A pod that its kubelet evicted because of memory MUST count as one that ran out of memory.",
    source="pkg/recommender/input/oom/observer.go: OnEvent",
    controllers=RECOMMENDER,
)
async def test_eviction_raises_memory(cluster: Cluster) -> None:
    await _serve(cluster, "200Mi")
    await after_loop(cluster, 2)
    cluster.kubelet.evict(pick(cluster.pods("web")), {"main": "2Gi"})
    await after_loop(cluster, 3)
    cluster.expect("memory", (target(cluster) or {})["memory"], "2975900105")


@scenario(
    "vpa-recommender/eviction-for-other-reasons",
    must="A pod that its kubelet evicted for another reason MUST NOT raise the recommendation.",
    source="pkg/recommender/input/oom/observer.go: OnEvent",
    controllers=RECOMMENDER,
)
async def test_eviction_for_other_reasons(cluster: Cluster) -> None:
    await _serve(cluster, "200Mi")
    await after_loop(cluster, 2)
    before = target(cluster)
    cluster.kubelet.evict(pick(cluster.pods("web")), {"main": "2Gi"}, resource="ephemeral-storage")
    await after_loop(cluster, 3)
    cluster.expect("target", target(cluster), before)


@scenario(
    "vpa-recommender/eviction-of-a-strange-event",
    must="A malformed event MUST be ignored.",
    source="pkg/recommender/input/oom/observer.go: parseEvictionEvent",
    controllers=RECOMMENDER,
)
async def test_eviction_of_a_strange_event(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 2)
    before = target(cluster)
    pod = cluster.pods("web")[0]["metadata"]["name"]
    for number, (containers, usages, resources) in enumerate(
        (("main", "lots", "memory"), ("main", "2Gi,3Gi", "memory"), ("main,side", "2Gi", "memory,memory"), ("", "", ""))
    ):
        annotations = {
            "offending_containers": containers,
            "offending_containers_usage": usages,
            "starved_resource": resources,
        }
        await cluster.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"strange-{number}", "namespace": "default", "annotations": annotations},
                "reason": "Evicted",
                "involvedObject": {"kind": "Pod", "namespace": "default", "name": pod},
            }
        )
    await after_loop(cluster, 3)
    cluster.expect("target", target(cluster), before)
