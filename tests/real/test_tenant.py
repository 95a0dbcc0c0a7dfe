"""Tenants of one cluster: names on the way out and back."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from lockstep.clusters.real.tenant import Tenant, owner_of, prefix_of

PREFIX = prefix_of(0xABC)
TENANT = Tenant(PREFIX)


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("/api/v1/namespaces/default/pods/web", f"/api/v1/namespaces/{PREFIX}default/pods/web"),
        ("/apis/apps/v1/namespaces/team/replicasets", f"/apis/apps/v1/namespaces/{PREFIX}team/replicasets"),
        ("/api/v1/namespaces/team", f"/api/v1/namespaces/{PREFIX}team"),
        ("/api/v1/nodes/node-1", f"/api/v1/nodes/{PREFIX}node-1"),
        ("/api/v1/nodes", "/api/v1/nodes"),
        ("/api/v1/pods", "/api/v1/pods"),
        ("/apis/apps/v1", "/apis/apps/v1"),
    ],
)
def test_paths_name_the_real_namespace_or_node(path: str, real: str) -> None:
    assert TENANT.path(path) == real


def test_a_body_names_real_namespaces_and_nodes_and_keeps_what_is_the_users() -> None:
    labels = {"namespace": "mine", "app": "web"}
    body: dict[str, Any] = {
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "default", "labels": labels},
        "spec": {"nodeName": "node-1", "containers": [{"name": "namespace"}]},
    }
    sent = TENANT.body(body)
    assert sent["metadata"] == {"name": "web", "namespace": f"{PREFIX}default", "labels": labels}
    assert sent["spec"] == {"nodeName": f"{PREFIX}node-1", "containers": [{"name": "namespace"}]}
    assert body["metadata"]["namespace"] == "default", "the request itself belongs to the controller"


def test_nodes_and_namespaces_are_renamed_wherever_they_are_named() -> None:
    assert TENANT.body({"kind": "Node", "metadata": {"name": "node-1"}})["metadata"]["name"] == f"{PREFIX}node-1"
    binding = {"kind": "Binding", "metadata": {"name": "web"}, "target": {"kind": "Node", "name": "node-1"}}
    sent = TENANT.body(binding)
    assert (sent["metadata"]["name"], sent["target"]["name"]) == ("web", f"{PREFIX}node-1")


def test_field_selectors_name_real_namespaces_and_nodes() -> None:
    asked = {"fieldSelector": "spec.nodeName=node-1,metadata.namespace!=team,status.phase!=Failed", "limit": "5"}
    reported = f"spec.nodeName={PREFIX}node-1,metadata.namespace!={PREFIX}team,status.phase!=Failed"
    assert TENANT.query(asked) == {"fieldSelector": reported, "limit": "5"}
    assert TENANT.query({"limit": "5"}) == {"limit": "5"}


def test_what_comes_back_loses_the_prefix_messages_included() -> None:
    raw = orjson.dumps({"message": f'namespaces "{PREFIX}team" not found', "metadata": {"namespace": f"{PREFIX}team"}})
    assert orjson.loads(TENANT.plain(raw)) == {
        "message": 'namespaces "team" not found',
        "metadata": {"namespace": "team"},
    }


@pytest.mark.parametrize(
    ("one", "mine"),
    [
        ({"kind": "Pod", "metadata": {"name": "a", "namespace": f"{PREFIX}default"}}, True),
        ({"kind": "Pod", "metadata": {"name": "a", "namespace": f"{prefix_of(1)}default"}}, False),
        ({"kind": "Pod", "metadata": {"name": "a", "namespace": "default"}}, False),
        ({"kind": "Node", "metadata": {"name": f"{PREFIX}node-1"}}, True),
        ({"kind": "Node", "metadata": {"name": f"{prefix_of(1)}node-1"}}, False),
        ({"kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"}}, True),
    ],
)
def test_a_tenant_sees_its_own_and_what_belongs_to_no_tenant(one: dict[str, Any], mine: bool) -> None:
    assert TENANT.owns(one) is mine
    assert TENANT.may_own(orjson.dumps(one)) or not mine


def test_an_object_in_a_namespace_of_another_tenant_is_known_at_a_glance() -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a", "namespace": f"{prefix_of(1)}default"}}
    assert not TENANT.may_own(orjson.dumps(pod))


def test_the_owner_of_a_name_is_its_prefix() -> None:
    assert owner_of(f"{PREFIX}default") == PREFIX
    assert owner_of("default") == ""
