"""A target of a kind that is served in several versions: its scale is read by one after the other until one has it.

client-go asks for the preferred version each time, so that the second attempt is the same request once more.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.hpa.demand import BOTH, proposal, propose
from lockstep_conformance.hpa.steps import condition, messages, scales, transitions

_MAPPINGS = "pkg/controller/podautoscaler/horizontal.go: scaleForResourceMappings"
_FLEETS = "fleets.example.com"


async def _fleet(cluster: Cluster) -> None:
    """A target without pods, served in two versions, whose HPA wants three replicas from 25 s on."""
    fleet = objects.custom("Fleet", "web", 2)
    propose(cluster, (0, 2), (25, 3))
    await cluster.create(objects.definition("Fleet", versions=("v1", "v1beta1")), fleet)
    await cluster.set_status(_FLEETS, "web", {"replicas": 2, "selector": "app=web"})
    await cluster.run_until(40)  # by when discovery has been read again
    await cluster.create(objects.hpa("web", target=fleet, metrics=[proposal()]))


@scenario(
    "hpa/target-of-two-versions-is-read-by-either",
    must="If the scale cannot be read by the first version of the target's kind, it MUST be read by the next one.",
    source=_MAPPINGS,
    controllers=BOTH,
    features=("custom-resources", "failure"),
)
async def test_target_of_two_versions_is_read_by_either(cluster: Cluster) -> None:
    await _fleet(cluster)
    failed = cluster.faults.error(500, verb="get", resource=_FLEETS, subresource="scale")
    await cluster.run_until(60)
    cluster.expect("reads that failed", failed.hits, 1)
    cluster.expect("scales", scales(cluster, resource=_FLEETS), [(55.0, 3)])
    cluster.expect("AbleToScale over time", transitions(cluster, "AbleToScale"), [(55.0, "True SucceededRescale")])
    cluster.expect("warnings", messages(cluster, "FailedGetScale"), [])


@scenario(
    "hpa/target-of-two-versions-fails-by-the-first",
    must="If the scale can be read by no version of the target's kind, the error of the first one MUST be told.",
    source=_MAPPINGS,
    controllers=BOTH,
    features=("custom-resources", "failure", "conditions", "events"),
)
async def test_target_of_two_versions_fails_by_the_first(cluster: Cluster) -> None:
    await _fleet(cluster)
    cluster.faults.error(500, verb="get", resource=_FLEETS, subresource="scale")
    cluster.faults.error(409, verb="get", resource=_FLEETS, subresource="scale")
    await cluster.run_until(60)
    text = "Internal error occurred: injected by the scenario"
    told = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {text}")
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), told)
    cluster.expect("warnings", messages(cluster, "FailedGetScale"), [text])
    cluster.expect("scales", scales(cluster, resource=_FLEETS), [])
    await cluster.run_until(75)
    cluster.expect("scales afterwards", scales(cluster, resource=_FLEETS), [(70.0, 3)])
