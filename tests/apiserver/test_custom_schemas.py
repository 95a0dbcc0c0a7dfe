"""Custom resources against their schemas: pruning, validation, ratcheting. Texts are those of a real API server."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from lockstep.apiserver.structural import compile_schema
from lockstep.objects.definitions import definitions_for
from tests.apiserver.kit import JSON_PATCH, MERGE, Client

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
VPAS = "/apis/autoscaling.k8s.io/v1/namespaces/default/verticalpodautoscalers"
CHECKPOINTS = "/apis/autoscaling.k8s.io/v1/namespaces/default/verticalpodautoscalercheckpoints"
QUANTITY = compile_schema(definitions_for(["vpa-updater"])[1]["spec"]["versions"][0]["schema"]["openAPIV3Schema"])


@pytest.fixture
def vpa_client(client: Client) -> Client:
    for definition in definitions_for(["vpa-recommender"]):
        client.ok("POST", DEFINITIONS, definition)
    return client


def refused(client: Client, body: dict[str, Any], path: str = VPAS) -> list[tuple[str, str]]:
    """The findings: field and message."""
    reply = client.call("POST", path, body)
    assert (reply.status, reply.body["reason"]) == (422, "Invalid"), reply.body
    return [(one["field"], one["message"]) for one in reply.body["details"]["causes"]]


def test_only_controllers_of_vpas_need_definitions() -> None:
    assert definitions_for(["hpa", "replicaset"]) == []
    assert [one["spec"]["names"]["kind"] for one in definitions_for(["vpa-admission"])] == [
        "VerticalPodAutoscalerCheckpoint",
        "VerticalPodAutoscaler",
    ]


def test_a_vpa_is_stored_without_unknown_fields(vpa_client: Client) -> None:
    body = objects.vpa(mode="Recreate", unknown={"a": 1}, recommenders=[])
    body["spec"]["targetRef"]["uid"] = "x"
    stored = vpa_client.ok("POST", VPAS, body)
    assert stored["spec"] == {
        "targetRef": {"kind": "ReplicaSet", "name": "web", "apiVersion": "apps/v1"},
        "updatePolicy": {"updateMode": "Recreate"},
        "recommenders": [],
    }
    assert stored["metadata"]["generation"] == 1


def test_nulls_stay_where_they_are_allowed(vpa_client: Client) -> None:
    histogram = {"referenceTimestamp": None, "bucketWeights": {"3": 10000, "x": None}, "totalWeight": None}
    body = objects.checkpoint(cpuHistogram=histogram, firstSampleStart=None, version=None)
    assert vpa_client.ok("POST", CHECKPOINTS, body)["status"] == {
        "cpuHistogram": {"referenceTimestamp": None, "bucketWeights": {"3": 10000, "x": None}},
        "firstSampleStart": None,
    }


@pytest.mark.parametrize(
    ("spec", "findings"),
    [
        ({"targetRef": {"kind": "ReplicaSet"}}, [("spec.targetRef.name", "Required value")]),
        ({"targetRef": None}, [("spec.targetRef", "Required value")]),
        (
            {"updatePolicy": {"updateMode": "recreate"}},
            [
                (
                    "spec.updatePolicy.updateMode",
                    (
                        'Unsupported value: "recreate": supported values: "Off", "Initial", "Recreate", '
                        '"InPlaceOrRecreate", "InPlace", "Auto"'
                    ),
                )
            ],
        ),
        (
            {"updatePolicy": {"minReplicas": "2"}},
            [
                (
                    "spec.updatePolicy.minReplicas",
                    'Invalid value: "string": spec.updatePolicy.minReplicas in body must be of type integer: "string"',
                )
            ],
        ),
        (
            {"updatePolicy": {"evictAfterOOMSeconds": 0}},
            [
                (
                    "spec.updatePolicy.evictAfterOOMSeconds",
                    (
                        "Invalid value: 0: spec.updatePolicy.evictAfterOOMSeconds in body should be greater than "
                        "or equal to 1"
                    ),
                )
            ],
        ),
        (
            {"updatePolicy": {"minReplicas": 3_000_000_000}},
            [
                (
                    "<nil>",
                    (
                        'Invalid value: "": Checked value must be of type integer with format int32 in '
                        "spec.updatePolicy.minReplicas"
                    ),
                )
            ],
        ),
    ],
)
def test_what_a_vpa_must_look_like(vpa_client: Client, spec: dict[str, Any], findings: list[tuple[str, str]]) -> None:
    found = refused(vpa_client, objects.vpa(**spec))
    unchecked = "some validation rules were not checked because the object was invalid; "
    blocking = not findings[0][1].startswith(("Invalid value: 0", 'Invalid value: ""'))
    if blocking:
        assert found.pop()[1].startswith(f"Invalid value: null: {unchecked}")
    assert found == findings


def test_quantities_are_numbers_or_match_a_pattern(vpa_client: Client) -> None:
    policy = objects.container_policy(min_allowed={"cpu": 1, "memory": "250Mi"}, max_allowed={"cpu": "much"})
    [(field, message)] = refused(vpa_client, objects.vpa(policies=[policy]))
    assert field == "spec.resourcePolicy.containerPolicies[0].maxAllowed.cpu"
    assert message.startswith(f'Invalid value: "much": {field} in body should match \'^(\\+|-)?((')


def test_rules_between_fields(vpa_client: Client) -> None:
    boost = {"cpu": {"type": "Factor", "quantity": "1"}}
    assert refused(vpa_client, objects.vpa(startupBoost=boost)) == [
        ("spec.startupBoost.cpu", "Invalid value: factor is required when type is Factor and forbidden otherwise"),
        ("spec.startupBoost.cpu", "Invalid value: quantity is required when type is Quantity and forbidden otherwise"),
    ]
    vpa_client.ok("POST", VPAS, objects.vpa(startupBoost={"cpu": {"type": "Factor", "factor": 2}}))


def test_a_status_is_judged_by_its_own_names(vpa_client: Client) -> None:
    vpa_client.ok("POST", VPAS, objects.vpa())
    body = [{"op": "add", "path": "/status", "value": {"observedGeneration": -1, "x": 1}}]
    reply = vpa_client.call("PATCH", f"{VPAS}/web/status", body, JSON_PATCH)
    assert reply.body["message"] == (
        'VerticalPodAutoscaler.autoscaling.k8s.io "web" is invalid: status.observedGeneration: Invalid value: -1: '
        "observedGeneration in body should be greater than or equal to 0"
    )
    body[0]["value"] = objects.vpa_status(objects.recommended(target={"cpu": "25m", "memory": "250Mi"}))
    after = vpa_client.ok("PATCH", f"{VPAS}/web/status", body, JSON_PATCH)
    assert after["status"]["recommendation"]["containerRecommendations"][0]["target"] == {
        "cpu": "25m",
        "memory": "250Mi",
    }
    assert after["metadata"]["generation"] == 1


def test_what_was_wrong_before_may_stay(vpa_client: Client) -> None:
    vpa_client.ok("POST", VPAS, objects.vpa(mode="Auto"))
    stored = vpa_client.server.state.collection("verticalpodautoscalers.autoscaling.k8s.io").get("default", "web")
    assert stored is not None
    stored.object["spec"]["updatePolicy"]["updateMode"] = "Ancient"  # as under an older definition
    vpa_client.ok("PATCH", f"{VPAS}/web", {"spec": {"recommenders": [{"name": "other"}]}}, MERGE)
    reply = vpa_client.call("PATCH", f"{VPAS}/web", {"spec": {"updatePolicy": {"updateMode": "Older"}}}, MERGE)
    assert reply.status == 422


def test_a_definition_that_cannot_be_checked_is_refused(client: Client) -> None:
    definition = objects.definition("Fleet")
    definition["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"type": "object", "oneOf": []}}
    reply = client.call("POST", DEFINITIONS, definition)
    assert reply.status == 422
    assert "'oneOf' is not supported by the simulated API server" in reply.body["message"]
