"""Webhook configurations and leases: defaults and validation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.kit import MERGE, Client

HOOKS = "/apis/admissionregistration.k8s.io/v1"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
RULE = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
SERVICE = {"service": {"name": "vpa-webhook", "namespace": "kube-system"}}


def configuration(kind: str = "Mutating", **hook: Any) -> dict[str, Any]:
    made = {
        "name": "vpa.k8s.io",
        "clientConfig": SERVICE,
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **hook,
    }
    return {
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": "vpa"},
        "webhooks": [{key: item for key, item in made.items() if item is not None}],
    }


def findings(client: Client, body: dict[str, Any]) -> list[tuple[str, str]]:
    reply = client.call("POST", f"{HOOKS}/{body['kind'].lower()}s", body)
    assert reply.status == 422, reply.body
    return [(one["field"].removeprefix("webhooks[0]."), one["message"]) for one in reply.body["details"]["causes"]]


@pytest.mark.parametrize("kind", ["Mutating", "Validating"])
def test_defaults(client: Client, kind: str) -> None:
    path = f"{HOOKS}/{kind.lower()}webhookconfigurations"
    made = client.ok("POST", path, configuration(kind))
    [hook] = made["webhooks"]
    assert hook["clientConfig"]["service"] == {**SERVICE["service"], "port": 443}
    assert hook["rules"] == [{**RULE, "scope": "*"}]
    assert (hook["failurePolicy"], hook["matchPolicy"], hook["timeoutSeconds"]) == ("Fail", "Equivalent", 10)
    assert (hook["namespaceSelector"], hook["objectSelector"]) == ({}, {})
    assert hook.get("reinvocationPolicy", "") == ("Never" if kind == "Mutating" else "")
    assert made["metadata"]["generation"] == 1
    same = client.ok("PATCH", f"{path}/vpa", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    assert same["metadata"]["generation"] == 1
    changed = client.ok("PATCH", f"{path}/vpa", {"webhooks": [{**hook, "timeoutSeconds": 5}]}, MERGE)
    assert changed["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("hook", "field", "message"),
    [
        (
            {"name": "vpa"},
            "name",
            'Invalid value: "vpa": should be a domain with at least three segments separated by dots',
        ),
        ({"name": None}, "name", "Required value"),
        ({"sideEffects": None}, "sideEffects", "Required value: must specify one of None, NoneOnDryRun"),
        (
            {"sideEffects": "Some"},
            "sideEffects",
            'Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
        ),
        (
            {"failurePolicy": "fail"},
            "failurePolicy",
            'Unsupported value: "fail": supported values: "Fail", "Ignore"',
        ),
        (
            {"timeoutSeconds": 31},
            "timeoutSeconds",
            "Invalid value: 31: the timeout value must be between 1 and 30 seconds",
        ),
        (
            {"admissionReviewVersions": None},
            "admissionReviewVersions",
            "Required value: must specify one of v1, v1beta1",
        ),
        (
            {"admissionReviewVersions": ["v2"]},
            "admissionReviewVersions",
            'Invalid value: ["v2"]: must include at least one of v1, v1beta1',
        ),
        ({"clientConfig": {}}, "clientConfig", "Required value: exactly one of url or service is required"),
        (
            {"clientConfig": {"url": "http://host"}},
            "clientConfig.url",
            "Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
        ),
        (
            {"rules": [{**RULE, "operations": ["CREATE", "*"]}]},
            "rules[0].operations",
            'Invalid value: ["CREATE","*"]: if \'*\' is present, must not specify other operations',
        ),
        (
            {"rules": [{**RULE, "resources": ["pods/*", "pods/status"]}]},
            "rules[0].resources[1]",
            "Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
        ),
        ({"rules": [{**RULE, "resources": []}]}, "rules[0].resources", "Required value"),
        (
            {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}},
            "objectSelector.matchExpressions[0].operator",
            'Invalid value: "Is": not a valid selector operator',
        ),
    ],
)
def test_what_a_webhook_must_look_like(client: Client, hook: dict[str, Any], field: str, message: str) -> None:
    assert findings(client, configuration(**hook)) == [(field, message)]


def test_names_of_webhooks_are_unique(client: Client) -> None:
    body = configuration()
    body["webhooks"] *= 2
    assert findings(client, body) == [("webhooks[1].name", 'Duplicate value: "vpa.k8s.io"')]


def test_leases(client: Client) -> None:
    spec = {"holderIdentity": "me", "leaseDurationSeconds": 0, "leaseTransitions": -1}
    reply = client.call("POST", LEASES, {"metadata": {"name": "vpa"}, "spec": spec})
    assert [(one["field"], one["message"]) for one in reply.body["details"]["causes"]] == [
        ("spec.leaseDurationSeconds", "Invalid value: 0: must be greater than 0"),
        ("spec.leaseTransitions", "Invalid value: -1: must be greater than or equal to 0"),
    ]
    spec = {"holderIdentity": "me", "renewTime": "2000-01-01T00:00:00.000000Z"}
    assert client.ok("POST", LEASES, {"metadata": {"name": "vpa"}, "spec": spec})["spec"] == spec
    assert client.call("PUT", f"{LEASES}/vpa", {"metadata": {"name": "vpa"}, "spec": spec}).status == 422
