"""How long a loop takes: with the recommender's own rate limit, and with one worker or several.

The order of VPAs is that of a Go map. So the VPAs have generated names, and there are no checkpoints, whose names would
reveal the order; unless the times of the last writes determine it.
"""

from __future__ import annotations

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import each
from lockstep.objects.definitions import CHECKPOINTS, VPAS
from lockstep_conformance.vpa.recommender.steps import FIRST_LOOP, RECOMMENDER, loop, moments, serve

_UPDATE = "pkg/recommender/routines/recommender.go: UpdateVPAs"
_FLAGS = "pkg/recommender/main.go: run"
_REPORTED = ("kubernetes/autoscaler#4498", "kubernetes/autoscaler#7951")


def _without_checkpoints(**flags: float) -> Options:
    """These flags, with history from an empty Prometheus, so that no checkpoints are written."""
    pods = 'up{job="kubernetes-pods"}[8d]'
    given = RecommenderOptions(storage="prometheus", metric_for_pod_labels=pods, **flags)  # type: ignore[arg-type]
    return Options(vpa=VpaOptions(recommender=given))


async def _vpas(cluster: Cluster, count: int) -> None:
    """Create this many VPAs of one pod each."""
    cluster.metrics.load("web", cpu=each("100m"), memory=each("100Mi"))
    one = objects.vpa(target=objects.replica_set("web"), metadata={"name": None, "generateName": "app-"})
    async with cluster.batch():
        await cluster.create(objects.replica_set("web", 1), *[one] * count)


def _seconds(first: float, every: float, count: int) -> list[float]:
    return [round(first + number * every, 3) for number in range(count)]


@scenario(
    "vpa-recommender/loop-behind-a-rate-limit",
    must=(
        "With more VPAs than requests allowed in an interval a loop MUST last as long as the limit delays its writes, "
        "however many workers write, and the next one MUST start when it ends."
    ),
    source=(_UPDATE, _FLAGS),
    issues=_REPORTED,
    controllers=RECOMMENDER,
    options=_without_checkpoints(kube_api_qps=0.125, kube_api_burst=16),
)
async def test_loop_behind_a_rate_limit(cluster: Cluster) -> None:
    await _vpas(cluster, 16)
    await cluster.run_until(316)
    written = moments(cluster, "patch", VPAS)
    cluster.expect("first loop, out of the burst", written[:16], [FIRST_LOOP] * 16)
    # A minute gives seven and a half requests; the other nine are sent one every eight seconds.
    cluster.expect("second loop", written[16:32], [loop(2)] * 7 + _seconds(loop(2) + 4, 8, 9))
    # It took 68 s, so the third is late, and all its requests must wait.
    cluster.expect("third loop", written[32:], _seconds(loop(2) + 76, 8, 16))


@scenario(
    "vpa-recommender/default-rate-limit",
    must="With default flags a hundred writes MUST be made at once, and the others one every 20 ms.",
    source=("common/flags.go: DefaultCommonConfig", _FLAGS),
    issues=_REPORTED,
    controllers=RECOMMENDER,
    options=_without_checkpoints(),
)
async def test_default_rate_limit(cluster: Cluster) -> None:
    await _vpas(cluster, 120)
    await cluster.run_until(loop(2) - 1)
    written = moments(cluster, "patch", VPAS)
    cluster.expect("writes", written, [FIRST_LOOP] * 100 + _seconds(FIRST_LOOP + 0.02, 0.02, 20))


@scenario(
    "vpa-recommender/one-worker-writes-one-vpa-at-a-time",
    must="A single worker MUST write one VPA after the other, so that slow writes make the loop as long as their sum.",
    source=_UPDATE,
    issues=_REPORTED,
    controllers=RECOMMENDER,
    options=_without_checkpoints(update_worker_count=1),
)
async def test_one_worker_writes_one_vpa_at_a_time(cluster: Cluster) -> None:
    await _vpas(cluster, 16)
    await cluster.run_until(loop(2) - 1)
    cluster.faults.latency(5, verb="patch", resource=VPAS, subresource="status")
    await cluster.run_until(loop(2) + 161)
    written = moments(cluster, "patch", VPAS)[16:]
    cluster.expect("second loop, and the third that waited for its end", written, _seconds(loop(2) + 5, 5, 32))


@scenario(
    "vpa-recommender/workers-write-at-the-same-time",
    must="Ten workers MUST write ten VPAs at a time, so that slow writes add up only from round to round.",
    source=_UPDATE,
    issues=_REPORTED,
    controllers=RECOMMENDER,
    options=_without_checkpoints(),
)
async def test_workers_write_at_the_same_time(cluster: Cluster) -> None:
    await _vpas(cluster, 16)
    await cluster.run_until(loop(2) - 1)
    cluster.faults.latency(5, verb="patch", resource=VPAS, subresource="status")
    await cluster.run_until(loop(4) - 1)
    written = moments(cluster, "patch", VPAS)[16:]
    rounds = [moment for start in (loop(2), loop(3)) for moment in [start + 5] * 10 + [start + 10] * 6]
    cluster.expect("second and third loop", written, rounds)


@scenario(
    "vpa-recommender/checkpoints-behind-a-rate-limit",
    must=(
        "Checkpoints that the rate limit delays beyond their timeout MUST be left out of the loop, and MUST come first "
        "in the next one."
    ),
    source=("pkg/recommender/checkpoint/checkpoint_writer.go: StoreCheckpoints", _FLAGS),
    issues=_REPORTED,
    controllers=RECOMMENDER,
    options=Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(
                recommender_interval=300.0,
                checkpoints_timeout=40.0,
                update_worker_count=1,
                kube_api_qps=1 / 32,
                kube_api_burst=3,
            )
        )
    ),
)
async def test_checkpoints_behind_a_rate_limit(cluster: Cluster) -> None:
    await serve(cluster)
    for number, name in enumerate(("second", "third"), 1):
        await cluster.run_until(300 * number)
        await cluster.create(objects.vpa(name, target=cluster.get("replicasets", "web")))
    await cluster.run_until(1900)
    written = [(cluster.at(one), one.name) for one in cluster.writes(None, CHECKPOINTS) if one.code in (200, 201)]
    # Of the three requests at once two or three are those of VPAs, and a checkpoint that is new takes two.
    expected = [(299.3, "web-main"), (631.3, "second-main"), (663.3, "web-main"), (963.3, "third-main")]
    expected += [(1231.3, "second-main"), (1263.3, "web-main")]
    expected += [(1531.3, "third-main"), (1563.3, "second-main")]
    expected += [(1831.3, "web-main"), (1863.3, "third-main")]
    cluster.expect("checkpoints", written, expected)
    cluster.expect("VPAs", moments(cluster, "patch", VPAS)[-6:], [1499.3] * 3 + [1799.3] * 3)


@scenario(
    "vpa-recommender/orphans-behind-a-rate-limit",
    must=(
        "Garbage collection of checkpoints MUST end at the timeout for checkpoints: requests that the rate limit would "
        "delay longer are given up at once, and left to the next collection."
    ),
    source=("pkg/recommender/input/cluster_feeder.go: GarbageCollectCheckpoints", _FLAGS),
    issues=_REPORTED,
    controllers=RECOMMENDER,
    options=Options(
        vpa=VpaOptions(
            recommender=RecommenderOptions(
                checkpoints_gc_interval=50.0, checkpoints_timeout=45.0, kube_api_qps=1 / 16, kube_api_burst=2
            )
        )
    ),
)
async def test_orphans_behind_a_rate_limit(cluster: Cluster) -> None:
    orphan = objects.checkpoint("gone", name="", metadata={"name": None, "generateName": "gone-"})
    await cluster.create(*[orphan] * 12)
    await cluster.run_until(loop(4) - 1)
    # The third waiting request would be sent after 48 s. So 1.75 tokens are available a minute later.
    deleted = [FIRST_LOOP] * 2 + _seconds(FIRST_LOOP + 16, 16, 2)
    deleted += [loop(2), *_seconds(loop(2) + 4, 16, 3)]
    deleted += [loop(3), *_seconds(loop(3) + 8, 16, 3)]
    cluster.expect("deletions", moments(cluster, "delete", CHECKPOINTS), deleted)
