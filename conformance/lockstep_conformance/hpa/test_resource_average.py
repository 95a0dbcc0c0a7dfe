"""Average values of resources: what the pods use, per pod, whatever they request.

The sum of the usage over the number of pods, in whole thousandths, over the target, times the number of pods.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.steps import messages
from lockstep_conformance.hpa.tables import BOTH, Example, pod_of, requesting, work_out

_PLAIN = "pkg/controller/podautoscaler/replica_calculator.go: calcPlainMetricReplicas"
_RATIO = "pkg/controller/podautoscaler/metrics/utilization.go: GetMetricUsageRatio"
_SHOWN = "pkg/controller/podautoscaler/horizontal.go: buildQuantity"
_NO_REQUESTS = pod_of(requesting(None))


@scenario(
    "hpa/average-usage-over-target-times-pods",
    must="With an average as target, the replicas MUST be the number of pods times their average usage over the "
    "target, rounded up, whether or not they request anything.",
    source=(_PLAIN, _RATIO),
    controllers=BOTH,
)
async def test_average_usage_over_target_times_pods(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "grows": Example(["700m", "300m", "800m"], 6, {"averageValue": "600m"}),
            "grows-a-bit": Example(["350m", "350m", "360m"], 4, {"averageValue": "353m"}, pod=pod_of()),
            "stays": Example(["280m", "300m", "320m"], 3, {"averageValue": "300m"}),
            "shrinks": Example(["10m", "100m", "310m", "60m"], 2, {"averageValue": "120m"}),
            "idles": Example(["0", "0"], 1, {"averageValue": "0"}),
        },
        metric=objects.resource_metric("cpu", average="300m"),
        pod=_NO_REQUESTS,
    )
    above = "reason: cpu resource above target"
    wanted = [f"New size: {size}; reason: All metrics below target" for size in (1, 2)]
    wanted += [f"New size: {size}; {above}" for size in (4, 6)]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)


@scenario(
    "hpa/average-usage-is-whole-thousandths",
    must="The average MUST be cut to whole thousandths before it is compared with the target.",
    source=_RATIO,
    controllers=BOTH,
)
async def test_average_usage_is_whole_thousandths(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "just-tolerated": Example(["11m", "11m", "13m"], 3, "11m"),  # 11.67 would be outside of the tolerance
            "not-tolerated": Example(["12m", "11m", "13m"], 4, "12m"),
            "fewer": Example(["14m", "14m", "14m", "14m", "15m"], 7, "14m"),  # 14.2 would make 8
            "far-fewer": Example(["1m", "1m", "1m", "1m", "0"], 1, "0"),
        },
        metric=objects.resource_metric("cpu", average="10m"),
        pod=_NO_REQUESTS,
    )


@scenario(
    "hpa/average-of-memory-in-binary-units",
    must="The average of memory MUST be compared in thousandths of a byte, and shown in the largest binary unit that "
    "loses nothing.",
    source=(_PLAIN, _SHOWN),
    controllers=BOTH,
)
async def test_average_of_memory_in_binary_units(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "grows": Example(["900Mi", "1148Mi"], 5, {"averageValue": "1Gi"}),
            "stays": Example(["500000Ki", "500010Ki"], 2, {"averageValue": "500005Ki"}),
            "third-of-a-byte": Example(["100Mi", "100Mi", "104857601"], 1, {"averageValue": "104857600333m"}),
            "bytes": Example(["524288001"], 1, {"averageValue": "524288001"}),
            "shrinks": Example(["0", "200Mi"], 1, {"averageValue": "100Mi"}),
        },
        metric=objects.resource_metric("memory", average="500Mi"),
    )


@scenario(
    "hpa/usage-of-all-containers-adds-up",
    must="A pod's usage MUST be the sum over all containers that its metrics name.",
    source="pkg/controller/podautoscaler/metrics/client.go: getPodMetrics",
    controllers=BOTH,
)
async def test_usage_of_all_containers_adds_up(cluster: Cluster) -> None:
    three = pod_of(*(requesting("100m", name=name) for name in ("app", "proxy", "log")))
    usage = {"app": "100m", "proxy": "20m", "log": "30m"}
    metric = objects.resource_metric("cpu", average="100m")
    await work_out(
        cluster,
        {
            "utilization": Example([usage] * 3, 3, {"averageUtilization": 50, "averageValue": "150m"}, pod=three),
            "average": Example([usage] * 3, 5, {"averageValue": "150m"}, pod=three, metric=metric),
            "unequal": Example([usage, {"app": "1", "proxy": "0", "log": "0"}], 12, "575m", pod=three, metric=metric),
        },
    )
