"""Utilization: what the pods use, in per cent of what they request.

The sum of the usage over the sum of the requests, in whole per cent. Its ratio to the target, times the number of pods,
rounded up, is the number of replicas. In these tables, pods request a core and the target is 50 %, if nothing else is
said.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.steps import messages, status
from lockstep_conformance.hpa.tables import BOTH, Example, pod_of, requesting, work_out

_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas"
_RATIO = "pkg/controller/podautoscaler/metrics/utilization.go: GetResourceUtilizationRatio"


@scenario(
    "hpa/utilization-over-target-times-pods",
    must="The replicas MUST be the number of pods times utilization over target, rounded up; the status MUST show the "
    "utilization and the average, and the event what was compared.",
    source=(_CALCULATOR, _RATIO),
    controllers=BOTH,
)
async def test_utilization_over_target_times_pods(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "doubles": Example(["1", "1", "1"], 6, {"averageUtilization": 100, "averageValue": "1"}),
            "grows": Example(["300m", "700m", "710m"], 4, {"averageUtilization": 57, "averageValue": "570m"}),  # 3.42
            "stays": Example(["400m", "500m", "600m"], 3, {"averageUtilization": 50, "averageValue": "500m"}),
            "shrinks": Example(["100m", "200m", "300m", "400m"], 2, {"averageUtilization": 25, "averageValue": "250m"}),
            "idles": Example(["0", "0", "0"], 1, {"averageUtilization": 0, "averageValue": "0"}),
            "alone": Example(["2500m"], 5, {"averageUtilization": 250, "averageValue": "2500m"}),
        },
    )
    above = "reason: cpu resource utilization (percentage of request) above target"
    wanted = [f"New size: {size}; reason: All metrics below target" for size in (1, 2)]
    wanted += [f"New size: {size}; {above}" for size in (4, 5, 6)]
    cluster.expect("what the events say", sorted(messages(cluster, "SuccessfulRescale")), wanted)
    current = {"averageUtilization": 57, "averageValue": "570m"}
    told = [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
    cluster.expect("metrics in the status", status(cluster, "grows")["currentMetrics"], told)


@scenario(
    "hpa/utilization-is-whole-per-cent",
    must="Utilization MUST be cut to whole per cent before it is compared with the target and before replicas are "
    "computed.",
    source=_RATIO,
    controllers=BOTH,
)
async def test_utilization_is_whole_per_cent(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "just-tolerated": Example(["559m"], 1, 55),  # 55.9 % would be outside of the tolerance
            "not-tolerated": Example(["560m"], 2, 56),
            "tolerated-below": Example(["450m"] * 10, 10, 45),
            "not-tolerated-below": Example(["449m"] * 10, 9, 44),
            "fewer": Example(["669m"] * 3, 4, {"averageUtilization": 66, "averageValue": "669m"}),  # 66.9 %: 5 pods
            "sum-first": Example(["509m", "669m", "829m"], 4, 66),  # 50 %, 66 % and 82 % of themselves: 2007 of 3000
        },
    )


@scenario(
    "hpa/ratio-is-a-float64",
    must="The ratio MUST be computed in 64-bit floating point, with the errors that this has: 25 pods at 28 % of 50 % "
    "are 14.000000000000002 replicas, so 15.",
    source=_CALCULATOR,
    controllers=BOTH,
)
async def test_ratio_is_a_float64(cluster: Cluster) -> None:
    of_70 = objects.resource_metric("cpu", utilization=70)
    await work_out(
        cluster,
        {
            "down": Example(["280m"] * 25, 15, 28),
            "up": Example(["1450m"] * 14, 30, 145, metric=of_70),
            "exact": Example(["600m"] * 5, 6, 60),
        },
    )


@scenario(
    "hpa/utilization-of-unequal-requests",
    must="Utilization MUST be the sum of the usage over the sum of the requests, and MUST NOT be the mean of the pods' "
    "utilizations.",
    source=(_CALCULATOR, _RATIO),
    controllers=BOTH,
)
async def test_utilization_of_unequal_requests(cluster: Cluster) -> None:
    small, large = pod_of(requesting("200m")), pod_of(requesting("1800m"))
    await work_out(
        cluster,
        {
            # 120 % and 13 %, then 300 % and 33 %: by their means, both would grow far beyond that.
            "small-pod-busy": Example(
                ["240m", "240m"], 1, {"averageUtilization": 24, "averageValue": "240m"}, pod=[small, large]
            ),
            "both": Example(["600m", "600m"], 3, 60, pod=[small, large]),
        },
    )


@scenario(
    "hpa/utilization-target-above-100",
    must="A target above 100 % of the requests MUST be compared like any other.",
    source=_CALCULATOR,
    controllers=BOTH,
)
async def test_utilization_target_above_100(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "grows": Example(["3", "2"], 4, {"averageUtilization": 250, "averageValue": "2500m"}),
            "stays": Example(["1500m", "1600m"], 2, 155),
            "shrinks": Example(["600m", "600m", "600m"], 2, 60),
        },
        metric=objects.resource_metric("cpu", utilization=150),
    )


@scenario(
    "hpa/utilization-of-memory",
    must="Utilization of memory MUST be computed from the pods' memory and their requests for memory, and its average "
    "MUST be shown in binary units.",
    source=(_CALCULATOR, "pkg/controller/podautoscaler/horizontal.go: buildQuantity"),
    controllers=BOTH,
)
async def test_utilization_of_memory(cluster: Cluster) -> None:
    await work_out(
        cluster,
        {
            "grows": Example(["192Mi", "160Mi"], 3, {"averageUtilization": 137, "averageValue": "176Mi"}),
            "stays": Example(["131072Ki"], 1, {"averageUtilization": 100, "averageValue": "128Mi"}),
            "shrinks": Example(
                ["64Mi", "32000000", "1Mi"], 1, {"averageUtilization": 24, "averageValue": "33385813333m"}
            ),
        },
        metric=objects.resource_metric("memory", utilization=100),
        pod=pod_of(requesting("1", memory="128Mi")),
    )
