"""Mutating webhooks: who is asked what, what an answer does, and what happens without one."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from lockstep.apiserver import Reply, Request
from lockstep.apiserver.webhooks.hooks import Hook
from lockstep.apiserver.webhooks.reviews import Outcome, Review
from tests.apiserver.kit import MERGE, PODS, SETS, Client, pod, replica_set

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
PATH = "/metadata/annotations"
EVERYTHING = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}


class Webhook:
    """Answers every question with `response`, or with `outcome`, and remembers the questions."""

    def __init__(self, **response: Any) -> None:
        self.response = response
        self.outcome: Outcome | None = None
        self.asked: list[Review] = []

    def ask(self, review: Review, answer: Callable[[Outcome], None]) -> None:
        self.asked.append(review)
        response = {"uid": review.uid, "allowed": True, **self.response}
        body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
        answer(self.outcome or Outcome(200, orjson.dumps(body)))


def patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"patchType": "JSONPatch", "patch": base64.b64encode(orjson.dumps(operations)).decode()}


def annotate(key: str, text: str = "yes") -> dict[str, Any]:
    return patch({"op": "add", "path": PATH, "value": {key: text}})


def configure(client: Client, name: str = "hooks", **webhook: Any) -> None:
    rule = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
    given = {
        "name": "test.example.com",
        "clientConfig": {"service": {"namespace": "kube-system", "name": "hook"}},
        "rules": [rule],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "failurePolicy": "Fail",
        **webhook,
    }
    client.ok("POST", CONFIGURATIONS, {"metadata": {"name": name}, "webhooks": [given]})


def submit(
    client: Client, webhook: Webhook, method: str, path: str, body: Any, media: str = "application/json"
) -> Reply:
    client.server.ask_webhook = webhook.ask
    replies: list[Reply] = []
    client.server.submit(Request(method, path, {}, body, media, "tester"), replies.append)
    return replies[0]


def test_a_patch_changes_what_is_stored(client: Client) -> None:
    configure(client)
    webhook = Webhook(**annotate("seen"))
    reply = submit(client, webhook, "POST", PODS, pod("a"))
    assert reply.status == 201
    assert client.ok("GET", f"{PODS}/a")["metadata"]["annotations"] == {"seen": "yes"}
    (review,) = webhook.asked
    asked = review.request
    assert (asked["operation"], asked["name"], asked["namespace"]) == ("CREATE", "a", "default")
    assert asked["object"]["spec"]["restartPolicy"] == "Always", "a webhook sees the defaults"
    assert asked["oldObject"] is None
    assert review.url == "https://hook.kube-system.svc:443/?timeout=10s"


def test_what_is_added_is_defaulted_and_judged(client: Client) -> None:
    configure(client)
    container = {"name": "b", "image": "nginx", "ports": [{"containerPort": 80}]}
    added = {"op": "add", "path": "/spec/containers/-", "value": container}
    submit(client, Webhook(**patch(added)), "POST", PODS, pod("a"))
    stored = client.ok("GET", f"{PODS}/a")["spec"]["containers"][1]
    assert stored["ports"] == [{"containerPort": 80, "protocol": "TCP"}]
    added["value"] = {"name": "Not A Name", "image": "nginx"}
    assert submit(client, Webhook(**patch(added)), "POST", PODS, pod("b")).status == 422


def test_a_refusal_is_the_answer(client: Client) -> None:
    configure(client)
    reply = submit(client, Webhook(allowed=False, status={"message": "no", "code": 418}), "POST", PODS, pod("a"))
    assert reply.status == 418
    assert reply.body is not None
    assert reply.body["message"] == 'admission webhook "test.example.com" denied the request: no'
    reply = submit(client, Webhook(allowed=False), "POST", PODS, pod("a"))
    assert reply.status == 400
    assert client.call("GET", f"{PODS}/a").status == 404
    assert [write.code for write in client.writes if write.resource == "pods"] == [418, 400]


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome(broken="EOF"), 'failed to call webhook: Post "https://hook.kube-system.svc:443/?timeout=10s": EOF'),
        (
            Outcome(404, b"404 page not found"),
            "failed to call webhook: the server could not find the requested resource",
        ),
        (
            Outcome(500, b"boom"),
            'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
        ),
        (
            Outcome(200, b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'),
            "received invalid webhook response: webhook response was absent",
        ),
    ],
)
def test_without_an_answer_the_failure_policy_decides(client: Client, outcome: Outcome, why: str) -> None:
    configure(client)
    webhook = Webhook()
    webhook.outcome = outcome
    reply = submit(client, webhook, "POST", PODS, pod("a"))
    assert reply.status == 500
    assert reply.body is not None
    assert reply.body["message"] == f'Internal error occurred: failed calling webhook "test.example.com": {why}'
    client.ok("DELETE", f"{CONFIGURATIONS}/hooks")
    configure(client, failurePolicy="Ignore")
    assert submit(client, webhook, "POST", PODS, pod("a")).status == 201


def test_an_answer_to_another_question_does_not_count(client: Client) -> None:
    configure(client)
    reply = submit(client, Webhook(uid="other"), "POST", PODS, pod("a"))
    assert reply.body is not None
    assert 'expected response.uid="00000000-0000-4000-9000-000000000001", got "other"' in reply.body["message"]


@pytest.mark.parametrize(
    ("webhook", "asked"),
    [
        ({}, 1),
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, 0),
        ({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}}}, 1),
        ({"objectSelector": {"matchLabels": {"app": "web"}}}, 1),
        ({"objectSelector": {"matchLabels": {"app": "db"}}}, 0),
        ({"rules": [{"operations": ["UPDATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]}, 0),
        ({"rules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}]}, 1),
        ({"rules": [{"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["*"], "resources": ["*"]}]}, 0),
        (
            {
                "rules": [
                    {
                        "operations": ["*"],
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "resources": ["*"],
                        "scope": "Cluster",
                    }
                ]
            },
            0,
        ),
    ],
)
def test_who_is_asked(client: Client, webhook: dict[str, Any], asked: int) -> None:
    configure(client, **webhook)
    hook = Webhook()
    assert submit(client, hook, "POST", PODS, pod("a")).status == 201
    assert len(hook.asked) == asked


def test_an_update_shows_both_versions(client: Client) -> None:
    client.ok("POST", SETS, replica_set(replicas=2))
    rule = {"operations": ["UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets"]}
    configure(client, rules=[rule])
    webhook = Webhook(**patch({"op": "replace", "path": "/spec/replicas", "value": 9}))
    reply = submit(client, webhook, "PATCH", f"{SETS}/web", {"spec": {"replicas": 5}}, MERGE)
    assert reply.status == 200
    assert client.ok("GET", f"{SETS}/web")["spec"]["replicas"] == 9
    (review,) = webhook.asked
    replicas = [review.request[version]["spec"]["replicas"] for version in ("object", "oldObject")]
    assert replicas == [5, 2]


def test_the_object_may_change_while_a_webhook_thinks(client: Client) -> None:
    client.ok("POST", SETS, replica_set(replicas=2))
    rule = {"operations": ["UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets"]}
    configure(client, rules=[rule])
    webhook = Webhook(**patch({"op": "add", "path": PATH, "value": {"seen": "yes"}}))
    waiting: list[tuple[Review, Callable[[Outcome], None]]] = []
    client.server.ask_webhook = lambda review, answer: waiting.append((review, answer))
    replies: list[Reply] = []
    request = Request("PATCH", f"{SETS}/web", {}, {"spec": {"replicas": 5}}, MERGE, "tester")
    client.server.submit(request, replies.append)
    other = Webhook()
    submit(client, other, "PATCH", f"{SETS}/web", {"spec": {"minReadySeconds": 7}}, MERGE)
    client.server.ask_webhook = webhook.ask
    webhook.ask(*waiting[0])
    assert replies[0].status == 200
    assert len(webhook.asked) == 2, "the question has changed and is asked again"
    stored = client.ok("GET", f"{SETS}/web")
    assert (stored["spec"]["replicas"], stored["spec"]["minReadySeconds"]) == (5, 7)
    assert stored["metadata"]["annotations"] == {"seen": "yes"}


def test_webhooks_are_asked_in_order_and_again_if_they_want(client: Client) -> None:
    configure(client, "b")
    configure(client, "a", reinvocationPolicy="IfNeeded")
    webhook = Webhook(**annotate("seen"))
    seen: list[Any] = []
    webhook_ask = webhook.ask

    def ask(review: Review, answer: Callable[[Outcome], None]) -> None:
        seen.append(review.request["object"]["metadata"].get("annotations"))
        webhook.response = annotate("seen", str(len(seen)))
        webhook_ask(review, answer)

    webhook.ask = ask  # type: ignore[method-assign]
    submit(client, webhook, "POST", PODS, pod("a"))
    assert seen == [None, {"seen": "1"}, {"seen": "2"}]
    assert client.ok("GET", f"{PODS}/a")["metadata"]["annotations"] == {"seen": "3"}


def test_a_generated_name_comes_after_the_webhooks(client: Client) -> None:
    configure(client)
    webhook = Webhook(**annotate("seen"))
    reply = submit(client, webhook, "POST", PODS, pod())
    assert reply.status == 201
    assert "name" not in webhook.asked[0].request


def test_warnings_reach_the_client(client: Client) -> None:
    configure(client)
    reply = submit(client, Webhook(warnings=["old"]), "POST", PODS, pod("a"))
    assert reply.headers["Warning"] == '299 - "old"'


def test_without_a_network_no_webhook_is_reached(client: Client) -> None:
    configure(client)
    replies: list[Reply] = []
    client.server.submit(Request("POST", PODS, {}, pod("a"), "application/json", "tester"), replies.append)
    assert replies[0].body is not None
    assert replies[0].body["message"].endswith('service "hook" not found')


@pytest.mark.parametrize(
    ("group", "plural", "subresource", "operation", "cares"),
    [
        ("", "pods", "", "CREATE", True),
        ("", "pods", "", "UPDATE", False),
        ("", "pods", "status", "CREATE", False),
        ("apps", "pods", "", "CREATE", False),
        ("", "nodes", "", "CREATE", False),
        ("apps", "replicasets", "scale", "UPDATE", True),
    ],
)
def test_whether_a_webhook_may_apply_is_known_without_the_object(
    group: str, plural: str, subresource: str, operation: str, cares: bool
) -> None:
    rules = [
        {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]},
        {"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["*"], "resources": ["replicasets/*"]},
    ]
    hook = Hook("configuration", 0, {"name": "hook.example.com", "rules": rules})
    assert hook.cares_for(group, plural, subresource, operation) is cares
