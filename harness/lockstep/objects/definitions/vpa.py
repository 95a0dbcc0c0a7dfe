"""The definitions of VerticalPodAutoscaler and VerticalPodAutoscalerCheckpoint (deploy/vpa-v1-crd-gen.yaml, 1.7.3).

1.8.1 has the same schemas. v1beta2, which upstream still names but does not serve, is left out. Checkpoints have no
status subresource: their status is written with the object.
"""

from __future__ import annotations

from typing import Any

from lockstep.objects.definitions.schema import (
    Schema,
    amount,
    amounts,
    integer,
    listing,
    moment,
    root,
    struct,
    text,
)

GROUP = "autoscaling.k8s.io"
#: The names of the two in paths and in histories.
VPAS, CHECKPOINTS = f"verticalpodautoscalers.{GROUP}", f"verticalpodautoscalercheckpoints.{GROUP}"
#: A kube-apiserver requires this annotation for a group of k8s.io.
_APPROVAL = {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/63797"}
_TARGET = ".status.recommendation.containerRecommendations[0].target"
#: What kubectl shows of a VerticalPodAutoscaler: name, JSON path, type, and 1 for a column that only `-o wide` shows.
_COLUMNS = (
    ("Mode", ".spec.updatePolicy.updateMode", "string", 0),
    ("CPU", f"{_TARGET}.cpu", "string", 0),
    ("Mem", f"{_TARGET}.memory", "string", 0),
    ("Provided", ".status.conditions[?(@.type=='RecommendationProvided')].status", "string", 0),
    ("Age", ".metadata.creationTimestamp", "date", 0),
    ("MinReplicas", ".spec.updatePolicy.minReplicas", "integer", 1),
    ("OOMSeconds", ".spec.updatePolicy.evictAfterOOMSeconds", "integer", 1),
)


def vpa_definition() -> dict[str, Any]:
    """verticalpodautoscalers.autoscaling.k8s.io, with a status subresource."""
    schema = root({"spec": _spec(), "status": _status()}, required=("spec",))
    definition = _definition("VerticalPodAutoscaler", "vpa", schema, {"status": {}})
    definition["spec"]["versions"][0]["additionalPrinterColumns"] = [
        {"name": name, "jsonPath": path, "type": kind, "priority": priority} for name, path, kind, priority in _COLUMNS
    ]
    return definition


def checkpoint_definition() -> dict[str, Any]:
    """verticalpodautoscalercheckpoints.autoscaling.k8s.io."""
    spec = struct({"containerName": text(), "vpaObjectName": text()})
    status = struct(
        {
            "cpuHistogram": _histogram(),
            "firstSampleStart": moment(nullable=True),
            "lastSampleStart": moment(nullable=True),
            "lastUpdateTime": moment(nullable=True),
            "memoryHistogram": _histogram(),
            "totalSamplesCount": integer(),
            "version": text(),
        }
    )
    return _definition("VerticalPodAutoscalerCheckpoint", "vpacheckpoint", root({"spec": spec, "status": status}))


def _definition(kind: str, short: str, schema: Schema, subresources: dict[str, Any] | None = None) -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    version: dict[str, Any] = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    if subresources is not None:
        version["subresources"] = subresources
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "shortNames": [short], "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}", "annotations": dict(_APPROVAL)},
        "spec": {"group": GROUP, "names": names, "scope": "Namespaced", "versions": [version]},
    }


def _histogram() -> Schema:
    weights = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    total: Schema = {"type": "number"}
    return struct({"bucketWeights": weights, "referenceTimestamp": moment(nullable=True), "totalWeight": total})


def _spec() -> Schema:
    return struct(
        {
            "recommenders": listing(struct({"name": text()}, required=("name",))),
            "resourcePolicy": struct({"containerPolicies": listing(_container_policy())}),
            "startupBoost": _startup_boost(),
            "targetRef": struct(
                {"apiVersion": text(), "kind": text(), "name": text()},
                required=("kind", "name"),
                x_kubernetes_map_type="atomic",
            ),
            "updatePolicy": _update_policy(),
        },
        required=("targetRef",),
    )


def _container_policy() -> Schema:
    return struct(
        {
            "containerName": text(),
            "controlledResources": listing(text()),
            "controlledValues": text("RequestsAndLimits", "RequestsOnly"),
            "maxAllowed": amounts(),
            "memoryAggregationIntervalCount": integer("int64", 1),
            "memoryAggregationIntervalSeconds": integer("int32", 1),
            "minAllowed": amounts(),
            "mode": text("Auto", "Off"),
            "oomBumpUpRatio": amount(),
            "oomMinBumpUp": amount(),
            "startupBoost": _startup_boost(),
        }
    )


def _startup_boost() -> Schema:
    rules = [
        {
            "message": f"{field} is required when type is {kind} and forbidden otherwise",
            "rule": f"(self.type == '{kind}') == has(self.{field})",
        }
        for kind, field in (("Factor", "factor"), ("Quantity", "quantity"))
    ]
    fields = {
        "durationSeconds": integer("int32"),
        "factor": integer("int32"),
        "quantity": amount(),
        "type": text("Factor", "Quantity"),
    }
    return struct({"cpu": struct(fields, required=("type",), x_kubernetes_validations=rules)})


def _update_policy() -> Schema:
    requirement = struct(
        {
            "changeRequirement": text("TargetHigherThanRequests", "TargetLowerThanRequests"),
            "resources": listing(text()),
        },
        required=("changeRequirement", "resources"),
    )
    return struct(
        {
            "evictAfterOOMSeconds": integer("int32", 1),
            "evictionRequirements": listing(requirement),
            "minReplicas": integer("int32"),
            "updateMode": text("Off", "Initial", "Recreate", "InPlaceOrRecreate", "InPlace", "Auto"),
        }
    )


def _status() -> Schema:
    condition = struct(
        {
            "lastTransitionTime": moment(),
            "message": text(),
            "observedGeneration": integer("int64", 0),
            "reason": text(),
            "status": text(),
            "type": text(),
        },
        required=("status", "type"),
    )
    recommended = struct(
        {
            "containerName": text(),
            **{name: amounts() for name in ("lowerBound", "target", "uncappedTarget", "upperBound")},
        },
        required=("target",),
    )
    return struct(
        {
            "conditions": listing(condition),
            "observedGeneration": integer("int64", 0),
            "recommendation": struct({"containerRecommendations": listing(recommended)}),
        }
    )
