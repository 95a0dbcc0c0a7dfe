"""Custom resources as targets: what their scale must have, and what is told when it has not."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import BOTH, proposal, propose
from lockstep_conformance.hpa.steps import GOT_SCALE, condition, counts, messages, reason, scales

_GROUP = "stable.example.com"


def _widgets(**scale: str) -> Object:
    """A kind with a scale subresource; `scale` may name the path of its selector."""
    paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", **scale}
    anything = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": anything,
        "subresources": {"status": {}, "scale": paths},
    }
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{_GROUP}"},
        "spec": {"group": _GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


async def _scale_a_widget(cluster: Cluster, crd: Object, **of_status: str) -> None:
    """Two of three replicas are there. The kind is new: it takes up to half a minute until the HPA hears of it."""
    propose(cluster, 5)
    await cluster.create(crd)
    widget = {
        "apiVersion": f"{_GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 3},
    }
    await cluster.create(widget)
    await cluster.set_status(f"widgets.{_GROUP}", "web", {"replicas": 2, **of_status})
    await cluster.create(objects.hpa("web", target=widget, metrics=[proposal()]))
    await cluster.run_until(61)


@scenario(
    "hpa/scale-without-a-selector-is-told",
    must="A target whose scale has no selector MUST NOT be scaled; SelectorRequired and InvalidSelector tell why.",
    source="pkg/controller/podautoscaler/horizontal.go: validateAndParseSelector",
    controllers=BOTH,
    features=("conditions", "events", "custom-resources"),
)
async def test_scale_without_a_selector_is_told(cluster: Cluster) -> None:
    await _scale_a_widget(cluster, _widgets())
    missing = ("False", "InvalidSelector", "the HPA target's scale is missing a selector")
    cluster.expect("ScalingActive", condition(cluster, "ScalingActive"), missing)
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), GOT_SCALE)
    cluster.expect("required", messages(cluster, "SelectorRequired"), ["selector is required"])
    cluster.expect("summary", messages(cluster, "FailedComputeMetricsReplicas"), ["selector is required"])
    cluster.expect("counts", counts(cluster), (3, 0))
    cluster.expect("scales", scales(cluster, resource=f"widgets.{_GROUP}"), [])


@scenario(
    "hpa/scale-with-a-selector-that-makes-no-sense-is-told",
    must="A target whose scale has a selector that cannot be read MUST NOT be scaled; FailedGetScale tells why.",
    source="client-go/scale/client.go: convertToScale",
    controllers=BOTH,
    features=("conditions", "events", "custom-resources"),
)
async def test_scale_with_a_selector_that_makes_no_sense_is_told(cluster: Cluster) -> None:
    await _scale_a_widget(cluster, _widgets(labelSelectorPath=".status.selector"), selector="app!=web")
    error = (
        "received an object from a /scale endpoint which was not convertible to autoscaling Scale: failed to parse "
        'target selector: "!=" is not a valid label selector operator'
    )
    text = f"the HPA controller was unable to get the target's current scale: {error}"
    cluster.expect("AbleToScale", condition(cluster, "AbleToScale"), ("False", "FailedGetScale", text))
    cluster.expect("events", set(messages(cluster, "FailedGetScale")), {error})


@scenario(
    "hpa/custom-resource-is-scaled",
    must="A custom resource with a scale subresource and a selector MUST be scaled like any workload.",
    source="client-go/scale/client.go: Update",
    controllers=BOTH,
    features=("conditions", "custom-resources"),
)
async def test_custom_resource_is_scaled(cluster: Cluster) -> None:
    await _scale_a_widget(cluster, _widgets(labelSelectorPath=".status.selector"), selector="tier=back,app=web")
    resource = f"widgets.{_GROUP}"
    cluster.expect("first scale", [replicas for _, replicas in scales(cluster, resource=resource)], [5])
    cluster.expect("replicas", cluster.get(resource, "web")["spec"]["replicas"], 5)
    cluster.expect("AbleToScale", reason(cluster, "AbleToScale"), "True ReadyForNewScale")
