"""Absurd usage: a counter that underflows at its source reports billions of cores.

The numbers overflow 32 bits, so that far too much looks like a negative number.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import each, put
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import reason, scales, status

_RATIO = "pkg/controller/podautoscaler/metrics/utilization.go: GetResourceUtilizationRatio, GetMetricUsageRatio"
_CALCULATOR = "pkg/controller/podautoscaler/replica_calculator.go: GetResourceReplicas, calcPlainMetricReplicas"
_ISSUE = "kubernetes-sigs/metrics-server#1300"
#: Almost 2^64 nanoseconds of CPU in a second. The other pod uses half a core.
_UNDERFLOW = put("containers", 0, "usage", "cpu", to="18446744074")
_AVERAGE = "9223372037250m"


async def _underflow(cluster: Cluster, during: float | None) -> None:
    """Two workloads, one with a target for utilization, one for usage, both at their target, except at 60 s."""
    for name in ("by-share", "by-usage"):
        cluster.metrics.load(name, cpu=each("500m"))
    await serve(cluster, 2, name="by-share")
    await serve(cluster, 2, name="by-usage", metrics=[objects.resource_metric("cpu", average="500m")])
    await cluster.run_until(59)
    for name in ("by-share", "by-usage"):
        cluster.metrics.alter(name, 0, _UNDERFLOW, during=during)
    await cluster.run_until(61)
    current = [status(cluster, name)["currentMetrics"][0]["resource"]["current"] for name in ("by-share", "by-usage")]
    wrapped = [{"averageUtilization": -1080764915, "averageValue": _AVERAGE}, {"averageValue": _AVERAGE}]
    cluster.expect("the status", current, wrapped)


@scenario(
    "hpa/absurd-usage-for-a-moment",
    must=(
        "Usage so high that the recommendation overflows MUST change nothing while the window holds another "
        "recommendation."
    ),
    source=(_RATIO, _CALCULATOR),
    issues=_ISSUE,
    controllers=("hpa", "replicaset"),
    features=("malformed", "stabilization", "H23"),
)
async def test_absurd_usage_for_a_moment(cluster: Cluster) -> None:
    await _underflow(cluster, during=15)
    for name in ("by-share", "by-usage"):
        cluster.expect(f"AbleToScale of {name}", reason(cluster, "AbleToScale", name), "True ScaleDownStabilized")
    await cluster.run_until(600)
    for name in ("by-share", "by-usage"):
        cluster.expect(f"scales of {name}", scales(cluster, name), [])


@scenario(
    "hpa/absurd-usage-that-lasts",
    must=(
        "Usage so high that the recommendation overflows MUST leave replicas within their bounds, in whichever "
        "direction it overflows."
    ),
    source=(_RATIO, _CALCULATOR),
    issues=_ISSUE,
    controllers=("hpa", "replicaset"),
    features=("malformed", "limits", "H23"),
)
async def test_absurd_usage_that_lasts(cluster: Cluster) -> None:
    await _underflow(cluster, during=None)
    await cluster.run_until(374)
    for name in ("by-share", "by-usage"):
        cluster.expect(f"scales of {name} after the window", scales(cluster, name), [(360.0, 1)])
        cluster.expect(f"ScalingLimited of {name}", reason(cluster, "ScalingLimited", name), "True TooFewReplicas")
    await cluster.run_until(600)
    # With one pod the number overflows once more, to far too much.
    cluster.expect("scales of by-share", scales(cluster, "by-share")[1:], [(375.0, 4), (390.0, 8), (405.0, 10)])
    cluster.expect("ScalingLimited of by-share", reason(cluster, "ScalingLimited", "by-share"), "True TooManyReplicas")
    cluster.expect("scales of by-usage", scales(cluster, "by-usage")[1:], [])
