"""Lost history: what a recommender forgets at a restart, or when a VPA disappears for a moment."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import each, steps
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.recommender.steps import (
    RECOMMENDER,
    after_loop,
    checkpoint,
    condition,
    serve,
    target,
)

_NOW = "2000-01-01T00:00:00Z"
_HOUR = 3600.0


def _learnt(**histograms: Any) -> objects.Object:
    """A checkpoint of a thousand samples, the last of which was taken when the scenario began."""
    samples = {"firstSampleStart": "1999-12-20T00:00:00Z", "lastSampleStart": _NOW, "lastUpdateTime": _NOW}
    status: dict[str, Any] = {"version": "v3", "totalSamplesCount": 1000, **samples, **histograms}
    return objects.checkpoint("web", "main", **status)


@scenario(
    "vpa-recommender/checkpoint-with-a-hardly-used-bucket",
    must="A checkpoint whose lowest bucket has too little weight to count MUST NOT be treated as one without samples.",
    source="pkg/recommender/util/histogram.go: LoadFromCheckpoint",
    issues="kubernetes/autoscaler#7726",
    controllers=RECOMMENDER,
    autostart=False,
)
async def test_checkpoint_with_a_hardly_used_bucket(cluster: Cluster) -> None:
    # a share of 1/10001 of 0.9 is below the weight under which a bucket counts as empty, 1/10000
    memory = {"bucketWeights": {"0": 1, "60": 10000}, "totalWeight": 0.9, "referenceTimestamp": _NOW}
    await cluster.create(_learnt(memoryHistogram=memory))
    await serve(cluster, 0)
    await cluster.start()
    await cluster.run(61)
    cluster.expect("samples", checkpoint(cluster)["totalSamplesCount"], 1000)
    cluster.expect("memory", (target(cluster) or {})["memory"], "4281023392")
    weights = checkpoint(cluster)["memoryHistogram"]["bucketWeights"]
    cluster.expect("buckets", weights, {"60": 10000})


@scenario(
    "vpa-recommender/target-that-cannot-be-read-for-a-moment",
    must=(
        "When the target of a VPA cannot be read for one loop, the history from checkpoints MUST be dropped, and the "
        "checkpoint MUST be overwritten with the samples since the start."
    ),
    source=("pkg/recommender/input/cluster_feeder.go: getSelector", "pkg/recommender/model/cluster.go: AddOrUpdateVpa"),
    issues="kubernetes/autoscaler#9891",
    controllers=RECOMMENDER,
)
async def test_target_that_cannot_be_read_for_a_moment(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    await cluster.create(objects.definition("Fleet"))
    cluster.owners.manage("fleets.example.com")
    fleet = await cluster.create(objects.custom("Fleet", "web", 1))
    await cluster.create(objects.vpa("web", target=fleet))
    await after_loop(cluster, 10)
    await cluster.crash("vpa-recommender")
    await cluster.start("vpa-recommender")
    await cluster.run(61)
    cluster.expect("samples including the history", checkpoint(cluster)["totalSamplesCount"], 11)
    outage = cluster.faults.error(500, verb="get", resource="fleets.example.com", subresource="scale", times=None)
    await cluster.run(60)
    outage.stop()
    cluster.expect_true("refused", condition(cluster, "ConfigUnsupported").startswith("True: Cannot read targetRef"))
    cluster.expect("samples in the outage", checkpoint(cluster)["totalSamplesCount"], 11)
    await cluster.run(60)
    cluster.expect("refused later", condition(cluster, "ConfigUnsupported"), "")
    cluster.expect("samples since the start", checkpoint(cluster)["totalSamplesCount"], 3)


@scenario(
    "vpa-recommender/vpa-of-another-recommender-comes",
    must=(
        "A VPA that names another recommender at the start and this one later MUST begin with the samples of this one, "
        "and its checkpoint MUST be overwritten with them."
    ),
    source="pkg/recommender/input/cluster_feeder.go: setVpaCheckpoint",
    issues="kubernetes/autoscaler#9241",
    controllers=RECOMMENDER,
    autostart=False,
)
async def test_vpa_of_another_recommender_comes(cluster: Cluster) -> None:
    cpu = {"bucketWeights": {"40": 10000}, "totalWeight": 500.0, "referenceTimestamp": _NOW}
    await cluster.create(_learnt(cpuHistogram=cpu))
    await serve(cluster, recommenders=["mine"])
    await cluster.start()
    await cluster.run(181)
    cluster.expect("samples of the other", checkpoint(cluster)["totalSamplesCount"], 1000)
    await cluster.patch(VPAS, "web", {"spec": {"recommenders": [{"name": "default"}]}})
    await cluster.run(60)
    cluster.expect("samples of this one", checkpoint(cluster)["totalSamplesCount"], 4)
    cluster.expect("target", target(cluster), {"cpu": "126m", "memory": "250Mi"})


@scenario(
    "vpa-recommender/restart-a-day",
    must=(
        "A recommender that restarts before its intervals of memory peaks end MUST never store any of them in a "
        "checkpoint, while CPU is stored."
    ),
    source="pkg/recommender/checkpoint/checkpoint_writer.go: subtractCurrentContainerMemoryPeak",
    issues=("kubernetes/autoscaler#8982", "kubernetes/autoscaler#10042"),
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(recommender_interval=1800.0))),
)
async def test_restart_a_day(cluster: Cluster) -> None:
    await serve(cluster)
    for day in (1, 2, 3):
        await cluster.run(23 * _HOUR)
        found = checkpoint(cluster)
        cluster.expect(f"memory on day {day}", "bucketWeights" in found["memoryHistogram"], False)
        cluster.expect(f"CPU on day {day}", found["cpuHistogram"]["bucketWeights"], {"8": 10000})
        await cluster.crash("vpa-recommender")
        await cluster.start("vpa-recommender")
    await cluster.run(25 * _HOUR)
    cluster.expect("memory in the end", "bucketWeights" in checkpoint(cluster)["memoryHistogram"], True)


@scenario(
    "vpa-recommender/half-lives-of-a-second",
    must=(
        "With half-lives of a second CPU MUST follow a lower load at once, and memory MUST stay at its peak until the "
        "day of the peak is over."
    ),
    source=(
        "pkg/recommender/util/decaying_histogram.go: AddSample",
        "pkg/recommender/model/container.go: addMemorySample",
    ),
    issues="kubernetes/autoscaler#6040",
    controllers=RECOMMENDER,
    options=Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(
                recommender_interval=600.0, cpu_histogram_decay_half_life=1.0, memory_histogram_decay_half_life=1.0
            )
        )
    ),
)
async def test_half_lives_of_a_second(cluster: Cluster) -> None:
    falling = steps((0, 2.0), (2 * _HOUR, 0.1))
    cluster.metrics.load("web", cpu=each(falling), memory=each(steps((0, "2Gi"), (2 * _HOUR, "100Mi"))))
    await cluster.create(objects.replica_set("web", 1), objects.vpa("web"))
    await cluster.run(2 * _HOUR)
    cluster.expect("at first", target(cluster), {"cpu": "2406m", "memory": "2539377048"})
    await cluster.run(0.25 * _HOUR)
    cluster.expect("a quarter later", target(cluster), {"cpu": "126m", "memory": "2539377048"})
    await cluster.run_until(24 * _HOUR)
    cluster.expect("before the day of the peak is over", target(cluster), {"cpu": "126m", "memory": "2539377048"})
    await cluster.run(0.5 * _HOUR)
    cluster.expect("after it", target(cluster), {"cpu": "126m", "memory": "250Mi"})
