"""Webhook configurations of a tenant: how the real cluster has them, and how their writer reads them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from lockstep.clusters.real.connection import ClusterError
from lockstep.clusters.real.tenant import Tenant, prefix_of
from lockstep.clusters.real.webhook_names import WEBHOOKS, Door, decoded

PREFIX = prefix_of(0xABC)
DOOR = Door("https://127.0.0.1:4711", "Q0E=")
TENANT = Tenant(PREFIX, DOOR)
SERVICE = {"namespace": "kube-system", "name": "vpa-webhook", "port": 443}


def configuration(**more: Any) -> dict[str, Any]:
    webhook = {"name": "vpa.k8s.io", "clientConfig": {"service": SERVICE, "caBundle": "b2xk"}, "sideEffects": "None"}
    metadata = {"name": "vpa-webhook-config"}
    return {"kind": "MutatingWebhookConfiguration", "metadata": metadata, "webhooks": [webhook | more]}


def test_a_configuration_is_the_tenants_own_object() -> None:
    assert TENANT.path(f"{WEBHOOKS}/vpa-webhook-config") == f"{WEBHOOKS}/{PREFIX}vpa-webhook-config"
    assert TENANT.body(configuration())["metadata"]["name"] == f"{PREFIX}vpa-webhook-config"


def test_a_webhook_cares_for_the_tenants_namespaces_only_and_leads_to_us() -> None:
    own = {"name": "own", "expression": "true"}
    (webhook,) = TENANT.body(configuration(matchConditions=[own]))["webhooks"]
    first, second = webhook["matchConditions"]
    assert first == own
    assert second["expression"] == f"request.namespace.startsWith('{PREFIX}')"
    assert webhook["clientConfig"]["caBundle"] == DOOR.bundle
    url = urlsplit(webhook["clientConfig"]["url"])
    assert f"{url.scheme}://{url.netloc}" == DOOR.root
    assert decoded(url.path) == (PREFIX, {"service": SERVICE, "caBundle": "b2xk"})


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"clientConfig": {"url": "https://elsewhere.example.com/path"}},
        {"matchConditions": [{"name": "own", "expression": "true"}]},
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "team", "tier": "a"}}},
        {
            "namespaceSelector": {
                "matchExpressions": [
                    {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["", "default"]},
                    {"key": "tier", "operator": "In", "values": ["default"]},
                    {"key": "kubernetes.io/metadata.name", "operator": "Exists"},
                ]
            }
        },
    ],
)
def test_what_comes_back_is_what_was_written(more: dict[str, Any]) -> None:
    written = configuration(**more)
    real = orjson.dumps({"items": [TENANT.body(written)]})
    assert PREFIX.encode() in real
    assert orjson.loads(TENANT.plain(real)) == {"items": [written]}


def test_selectors_name_real_namespaces_and_leave_other_labels_alone() -> None:
    expressions = [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["", "default"]},
        {"key": "tier", "operator": "In", "values": ["default"]},
    ]
    (webhook,) = TENANT.body(configuration(namespaceSelector={"matchExpressions": expressions}))["webhooks"]
    by_name, by_tier = webhook["namespaceSelector"]["matchExpressions"]
    assert by_name["values"] == ["", f"{PREFIX}default"]
    assert by_tier == expressions[1]


def test_messages_name_the_service_that_was_meant() -> None:
    (webhook,) = TENANT.body(configuration())["webhooks"]
    message = f'failed to call webhook: Post "{webhook["clientConfig"]["url"]}?timeout=30s": EOF'
    reported = orjson.loads(TENANT.plain(orjson.dumps({"kind": "Status", "message": message})))["message"]
    assert reported == 'failed to call webhook: Post "https://vpa-webhook.kube-system.svc:443/?timeout=30s": EOF'


def test_the_port_that_the_api_adds_is_added() -> None:
    client = {"service": {"namespace": "kube-system", "name": "vpa-webhook"}}
    back = orjson.loads(TENANT.plain(orjson.dumps(TENANT.body(configuration(clientConfig=client)))))
    assert back["webhooks"][0]["clientConfig"] == {"service": SERVICE}


def test_where_nothing_can_be_led_to_us_no_webhook_is_made() -> None:
    with pytest.raises(ClusterError, match="cannot call a webhook on this machine"):
        Tenant(PREFIX).body(configuration())


@pytest.mark.parametrize("path", ["/", "/lk000abc-/", "/lk000abc-/%%%", "/lk000abc-/bm90IGpzb24="])
def test_a_path_that_is_none_of_ours_is_a_value_error(path: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its message is not specified
        decoded(path)
