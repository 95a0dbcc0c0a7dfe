"""Checkpoints: written in every loop, loaded at the start, collected when their VPA is gone."""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep_conformance.vpa.recommender.steps import (
    RECOMMENDER,
    after_loop,
    checkpoint,
    loop,
    moments,
    recommendation,
    serve,
    status,
)

_WRITER = "pkg/recommender/checkpoint/checkpoint_writer.go: StoreCheckpoints"
_INIT = "pkg/recommender/input/cluster_feeder.go: InitFromCheckpoints"


@scenario(
    "vpa-recommender/checkpoint-is-created",
    must="A checkpoint that does not exist MUST be created, and patched in every loop from then on.",
    source=("pkg/utils/vpa/api.go: CreateOrUpdateVpaCheckpoint", _WRITER),
    controllers=RECOMMENDER,
)
async def test_checkpoint_is_created(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 3)
    cluster.expect("creates", moments(cluster, "create", CHECKPOINTS), [59.3])
    cluster.expect("patches", moments(cluster, "patch", CHECKPOINTS), [59.3, 119.3, 179.3])
    found = checkpoint(cluster)
    cluster.expect("samples", found["totalSamplesCount"], 3)
    cluster.expect("version", found["version"], "v3")
    # The peak of an unfinished interval is left out.
    cluster.expect("memory", "bucketWeights" in found["memoryHistogram"], False)


@scenario(
    "vpa-recommender/restart-from-checkpoints",
    must="After a restart the recommendation MUST be the same, as far as its history is in checkpoints.",
    source=_INIT,
    controllers=RECOMMENDER,
)
async def test_restart_from_checkpoints(cluster: Cluster) -> None:
    await serve(cluster, 3)
    await after_loop(cluster, 30)
    before = recommendation(cluster) or {}
    await cluster.crash("vpa-recommender")
    await cluster.run(30)
    await cluster.start("vpa-recommender")
    await cluster.run(61)
    after = recommendation(cluster) or {}
    cluster.expect("target", after["target"]["cpu"], before["target"]["cpu"])
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 93)


@scenario(
    "vpa-recommender/selector-change-drops-checkpoints",
    must="The history from checkpoints MUST be dropped when the selector of the target changes.",
    source="pkg/recommender/model/cluster.go: AddOrUpdateVpa",
    controllers=RECOMMENDER,
)
async def test_selector_change_drops_checkpoints(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 10)
    await cluster.crash("vpa-recommender")
    await cluster.start("vpa-recommender")
    await cluster.run(61)
    cluster.expect("samples including the history", checkpoint(cluster)["totalSamplesCount"], 11)
    await cluster.delete("replicasets.apps", "web")
    await cluster.run(5)
    template = objects.pod_template({"app": "web", "tier": "new"})
    selector = {"matchLabels": {"app": "web", "tier": "new"}}
    await cluster.create(objects.replica_set("web", 1, selector=selector, template=template))
    await cluster.run(61)
    cluster.expect("samples of the new pods only", checkpoint(cluster)["totalSamplesCount"], 1)


@scenario(
    "vpa-recommender/broken-checkpoints",
    must="A checkpoint of another version, or with impossible buckets, MUST be ignored, and MUST be overwritten.",
    source="pkg/recommender/model/aggregate_container_state.go: LoadFromCheckpoint",
    controllers=RECOMMENDER,
    autostart=False,
)
async def test_broken_checkpoints(cluster: Cluster) -> None:
    await cluster.create(
        objects.checkpoint("web", "main", version="v2", totalSamplesCount=1000),
        objects.checkpoint(
            "db",
            "main",
            version="v3",
            totalSamplesCount=1000,
            cpuHistogram={"bucketWeights": {"999": 1}, "totalWeight": 1},
        ),
    )
    await serve(cluster, name="web")
    await serve(cluster, name="db")
    await cluster.start()
    await cluster.run(61)
    cluster.expect("samples of web", checkpoint(cluster)["totalSamplesCount"], 1)
    cluster.expect("samples of db", checkpoint(cluster, "db-main")["totalSamplesCount"], 1)


@scenario(
    "vpa-recommender/orphaned-checkpoint-is-collected",
    must="The checkpoint of a VPA that is gone MUST be deleted when the interval of garbage collection has passed.",
    source="pkg/recommender/input/cluster_feeder.go: GarbageCollectCheckpoints",
    controllers=RECOMMENDER,
)
async def test_orphaned_checkpoint_is_collected(cluster: Cluster) -> None:
    await serve(cluster)
    await serve(cluster, name="other", recommenders=["somebody"])
    await cluster.create(objects.checkpoint("other", "main"))
    await after_loop(cluster, 2)
    await cluster.delete(VPAS, "web")
    await cluster.run_until(1500)
    # The interval of ten minutes has to be exceeded, which the eleventh loop does.
    cluster.expect("deletes", moments(cluster, "delete", CHECKPOINTS), [659.3])
    cluster.expect_true("that of another recommender stays", cluster.find(CHECKPOINTS, "other-main"))


@scenario(
    "vpa-recommender/no-checkpoints-with-prometheus",
    must="With --storage=prometheus no checkpoint MUST be written or loaded.",
    source="pkg/recommender/routines/recommender_controller.go: initHistoryProvider",
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(storage="prometheus"))),
)
async def test_no_checkpoints_with_prometheus(cluster: Cluster) -> None:
    await serve(cluster)
    await after_loop(cluster, 3)
    cluster.expect("checkpoints", cluster.list(CHECKPOINTS), [])
    cluster.expect_true("there is a recommendation", status(cluster)["recommendation"])


@scenario(
    "vpa-recommender/slow-checkpoints-run-out-of-time",
    must=(
        "After the timeout no more checkpoints MUST be written, but each worker MUST write at least one: the one that "
        "has waited longest."
    ),
    source=_WRITER,
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(update_worker_count=1, checkpoints_timeout=5.0))),
)
async def test_slow_checkpoints_run_out_of_time(cluster: Cluster) -> None:
    await serve(cluster, name="old")
    await after_loop(cluster, 1)
    await serve(cluster, name="new")
    await cluster.run(10)
    cluster.faults.latency(7, verb="patch", resource=CHECKPOINTS)

    def updated() -> dict[str, str]:
        return {one["metadata"]["name"]: one["status"]["lastUpdateTime"] for one in cluster.list(CHECKPOINTS)}

    before = updated()
    cluster.expect("checkpoints after the first loop", list(before), ["old-main"])
    await cluster.run_until(loop(2) + 20)
    cluster.expect("checkpoints after the second", sorted(updated()), ["new-main", "old-main"])
    cluster.expect("the old one then", updated()["old-main"], before["old-main"])
    await cluster.run_until(loop(3) + 20)
    cluster.expect_true("the old one is next", updated()["old-main"] > before["old-main"])
