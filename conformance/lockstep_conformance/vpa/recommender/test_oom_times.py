"""OOM kills at times at which they are lost, and repeated kills."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Options, RecommenderOptions, VpaOptions, objects, scenario
from lockstep.metrics import each
from lockstep.world import pick
from lockstep_conformance.vpa.recommender.steps import RECOMMENDER, after_loop, loop, recommendation, target

_RECORD = "pkg/recommender/model/container.go: RecordOOM"


async def _serve(cluster: Cluster, name: str = "web", *, memory: str = "1Gi", **spec: Any) -> None:
    """A pod that uses 300 MiB and has a request for memory, and its VPA; `spec` is the VPA's."""
    cluster.metrics.load(name, cpu=each("100m"), memory=each("300Mi"))
    app = objects.container("main", resources={"requests": {"cpu": "100m", "memory": memory}})
    template = objects.pod_template({"app": name}, containers=[app])
    await cluster.create(objects.replica_set(name, 1, template=template), objects.vpa(name, **spec))


def _kill(cluster: Cluster, name: str = "web") -> None:
    cluster.kubelet.oom_kill(pick(cluster.pods(name)), down=0)


def _memory(cluster: Cluster, name: str = "web") -> Any:
    return (target(cluster, name=name) or {})["memory"]


@scenario(
    "vpa-recommender/oom-kill-in-the-first-minute",
    must=(
        "A kill before the first sample of its container MUST NOT count, even if the recommender sees it soon "
        "afterwards."
    ),
    source=_RECORD,
    issues="kubernetes/autoscaler#8548",
    controllers=RECOMMENDER,
)
async def test_oom_kill_in_the_first_minute(cluster: Cluster) -> None:
    await _serve(cluster)
    await cluster.run_until(loop(1) - 36)
    _kill(cluster)
    await after_loop(cluster, 2)
    cluster.expect("memory", _memory(cluster), "380258472")  # of the 300 MiB that are used


@scenario(
    "vpa-recommender/oom-kill-at-the-end-of-an-interval",
    must=(
        "A kill at the end of an interval of memory peaks MUST NOT count if a sample of the next interval is seen "
        "first."
    ),
    source=_RECORD,
    issues="kubernetes/autoscaler#8548",
    controllers=RECOMMENDER,
    options=Options(vpa=VpaOptions(recommender=RecommenderOptions(memory_aggregation_interval=600.0))),
)
async def test_oom_kill_at_the_end_of_an_interval(cluster: Cluster) -> None:
    await _serve(cluster, "before")
    await _serve(cluster, "after")
    await cluster.run_until(loop(11) - 36)
    _kill(cluster, "before")
    await cluster.run_until(loop(11) - 6)
    _kill(cluster, "after")
    await after_loop(cluster, 12)
    cluster.expect("in the old interval", _memory(cluster, "before"), "380258472")
    cluster.expect("in the new one", _memory(cluster, "after"), "1555165137")  # 1.2 GiB and the safety margin


@scenario(
    "vpa-recommender/oom-kill-of-a-pod-that-is-gone",
    must="A kill of a pod that existed only between two loops MUST be lost, because the pod is unknown.",
    source="pkg/recommender/model/cluster.go: RecordOOM",
    issues="kubernetes/autoscaler#6705",
    controllers=RECOMMENDER,
)
async def test_oom_kill_of_a_pod_that_is_gone(cluster: Cluster) -> None:
    await _serve(cluster)
    await after_loop(cluster, 2)
    first = pick(cluster.pods("web"))["metadata"]["name"]
    await cluster.delete("pods", first)
    await cluster.run(10)
    _kill(cluster)  # its successor, which no loop has seen
    second = pick(cluster.pods("web"))["metadata"]["name"]
    await cluster.run(5)
    await cluster.delete("pods", second)
    await after_loop(cluster, 4)
    cluster.expect("memory", _memory(cluster), "380258472")


@scenario(
    "vpa-recommender/repeated-oom-kills",
    must="Further kills at the same request MUST NOT raise the recommendation further.",
    source=_RECORD,
    issues="kubernetes/autoscaler#1182",
    controllers=RECOMMENDER,
)
async def test_repeated_oom_kills(cluster: Cluster) -> None:
    await _serve(cluster)
    await after_loop(cluster, 2)
    for number in range(3, 33):
        _kill(cluster)
        await after_loop(cluster, number)
        if number in (3, 32):
            cluster.expect(f"memory after {number - 2} kills", _memory(cluster), "1555165137")


@scenario(
    "vpa-recommender/oom-kills-below-a-maximum",
    must=(
        "Kills at the maximum request of a policy MUST NOT change the target, but MUST raise the uncapped target; that "
        "MUST NOT change when the kills have ended."
    ),
    source=(_RECORD, "pkg/recommender/routines/capping_post_processor.go: Process"),
    issues="kubernetes/autoscaler#9521",
    controllers=RECOMMENDER,
)
async def test_oom_kills_below_a_maximum(cluster: Cluster) -> None:
    policies = [objects.container_policy("main", max_allowed={"memory": "1Gi"})]
    await _serve(cluster, memory="1Gi", policies=policies)
    await after_loop(cluster, 2)
    for number in range(3, 23):
        _kill(cluster)
        await after_loop(cluster, number)
    cluster.expect("target", _memory(cluster), "1Gi")
    cluster.expect("without the policy", (recommendation(cluster) or {})["uncappedTarget"]["memory"], "1555165137")
    await after_loop(cluster, 120)
    cluster.expect("target later", _memory(cluster), "1Gi")
    later = (recommendation(cluster) or {})["uncappedTarget"]["memory"]
    cluster.expect("without the policy later", later, "1555165137")
