"""Webhooks in a run: the controllers' writes wait for them, on the virtual clock."""

from __future__ import annotations

import base64
from typing import Any

import orjson

from lockstep import objects
from lockstep.scenarios.cluster import ApiFailure, Cluster
from tests.core.kit import passing

CONFIGURATION: dict[str, Any] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingWebhookConfiguration",
    "metadata": {"name": "hooks"},
    "webhooks": [
        {
            "name": "test.example.com",
            "clientConfig": {"service": {"namespace": "kube-system", "name": "hook"}},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
            "timeoutSeconds": 5,
        }
    ],
}


def annotating(review: dict[str, Any]) -> dict[str, Any]:
    patch = [{"op": "add", "path": "/metadata/annotations", "value": {"seen": "yes"}}]
    response = {
        "uid": review["request"]["uid"],
        "allowed": True,
        "patchType": "JSONPatch",
        "patch": base64.b64encode(orjson.dumps(patch)).decode(),
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}


def seen(cluster: Cluster) -> list[str | None]:
    return [(pod["metadata"].get("annotations") or {}).get("seen") for pod in cluster.list("pods")]


def test_a_controllers_pods_pass_the_webhook() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.webhooks.answer_with("kube-system", "hook", annotating)
        await cluster.create(CONFIGURATION)
        await cluster.create(objects.replica_set("web", replicas=3))
        await cluster.run(1)
        cluster.expect("annotations", seen(cluster), ["yes"] * 3)

    result = passing(body)
    reviews = [write for write in result.history if write.verb == "review"]
    assert len(reviews) == 3
    assert reviews[0].body["answer"]["patch"][0]["value"] == {"seen": "yes"}


def test_a_slow_webhook_delays_the_write_and_no_other() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.webhooks.answer_with("kube-system", "hook", annotating)
        await cluster.create(CONFIGURATION)
        cluster.faults.latency(3.0, verb="call", resource="webhooks")
        await cluster.create(objects.replica_set("web", replicas=1))
        await cluster.run(2.5)
        cluster.expect("pods before the answer", len(cluster.list("pods")), 0)
        await cluster.run(1)
        cluster.expect("pods after it", seen(cluster), ["yes"])

    passing(body)


def test_a_webhook_that_takes_too_long_fails_the_write() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.webhooks.answer_with("kube-system", "hook", annotating)
        await cluster.create(CONFIGURATION)
        cluster.faults.latency(9.0, verb="call", resource="webhooks")
        before = cluster.now
        try:
            await cluster.create(objects.pod("alone"))
        except ApiFailure as failure:
            cluster.expect_true("it says so", "context deadline exceeded" in str(failure))
        else:
            cluster.expect_true("it fails", holds=False)
        cluster.expect("after", cluster.now - before, 5.0)

    passing(body)


def test_owners_of_the_world_wait_for_webhooks_too() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.webhooks.answer_with("kube-system", "hook", annotating)
        await cluster.create(CONFIGURATION)
        cluster.owners.manage("statefulsets")
        cluster.faults.latency(3.0, verb="call", resource="webhooks")
        await cluster.create(stateful_set())
        await cluster.run(30)
        cluster.expect("annotations", seen(cluster), ["yes"] * 2)

    passing(body)


def stateful_set() -> dict[str, Any]:
    like = objects.replica_set("db", replicas=2)
    return {**like, "kind": "StatefulSet", "spec": {**like["spec"], "serviceName": "db"}}


def test_a_webhook_that_is_not_there_is_an_answer_too() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(CONFIGURATION)
        try:
            await cluster.create(objects.pod("alone"))
        except ApiFailure as failure:
            cluster.expect_true("it says so", 'service "hook" not found' in str(failure))
        else:
            cluster.expect_true("it fails", holds=False)

    passing(body)
