"""Sizes of which the double does not fit into 32 bits, which is where the limit of the legacy path ends.

Nobody acts for the custom resource: its two thousand million pods are numbers in its status.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import BOTH
from lockstep_conformance.hpa.steps import condition, messages, scale_writes

_FLEETS = "fleets.example.com"
_MAX, _MIN = 2**31 - 1, -(2**31)


@scenario(
    "hpa/legacy-scale-up-limit-beyond-32-bits",
    must="Without behavior, a limit that does not fit into 32 bits MUST become the smallest number, as Go's conversion "
    "makes it on amd64: the HPA asks for that, and is refused.",
    source="pkg/controller/podautoscaler/horizontal.go: calculateScaleUpLimit",
    issues="kubernetes/kubernetes#141397",
    controllers=BOTH,
    features=("legacy", "limits", "overflow", "custom-resources"),
)
async def test_legacy_scale_up_limit_beyond_32_bits(cluster: Cluster) -> None:
    cluster.metrics.external("demand", str(_MAX))
    size = 2**30 - 1
    fleet = objects.custom("Fleet", "web", size)
    await cluster.create(objects.definition("Fleet"), fleet)
    await cluster.set_status(_FLEETS, "web", {"replicas": size, "selector": "app=web"})
    metric = objects.external_metric("demand", average="1")
    await cluster.create(objects.hpa("web", target=fleet, max_replicas=_MAX, metrics=[metric]))
    await cluster.run_until(40)
    asked = [
        (cluster.at(write), write.body["spec"]["replicas"], write.code)
        for write in scale_writes(cluster, resource=_FLEETS)
    ]
    # The double of the first size fits, that of the second does not.
    cluster.expect("scales that it asked for", asked, [(15.0, 2 * size, 200), (30.0, _MIN, 400)])
    # The smallest number is how the server tells that a scale names no replicas at all.
    refusal = 'the spec replicas field ".spec.replicas" cannot be empty'
    why = ("False", "FailedUpdateScale", f"the HPA controller was unable to update the target scale: {refusal}")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), why)
    faster = "the desired replica count is increasing faster than the maximum scale rate"
    cluster.expect("ScalingLimited", condition(cluster, "ScalingLimited"), ("True", "ScaleUpLimit", faster))
    told = f"New size: {_MIN}; reason: external metric demand(nil) above target; error: {refusal}"
    cluster.expect("events", messages(cluster, "FailedRescale"), [told])
