"""The official Python client in the corners: resumption, pages, apply, manifests, custom kinds, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client, dynamic, stream, utils, watch
from kubernetes.client.exceptions import ApiException

from lockstep import objects
from lockstep.serving.background import KubeApi

pytestmark = pytest.mark.kube_api(clock="manual", controllers=("replicaset",))


@pytest.fixture
def api(kube_api: KubeApi) -> Any:
    """The client."""
    with kube_api.api_client() as made:
        yield made


def _maps(core: Any, *names: str) -> None:
    for name in names:
        core.create_namespaced_config_map("default", {"metadata": {"name": name}})


def test_a_watch_of_a_forgotten_version_is_gone(kube_api: KubeApi, api: Any) -> None:
    core = client.CoreV1Api(api)
    version = core.list_namespaced_config_map("default").metadata.resource_version
    _maps(core, "one", "two")
    kube_api.request("POST", "/lockstep/store", {"compact": True})
    with pytest.raises(ApiException) as gone:
        list(
            watch.Watch().stream(
                core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=5
            )
        )
    assert (gone.value.status, "Expired" in str(gone.value.reason)) == (410, True)
    again = core.list_namespaced_config_map("default").metadata.resource_version
    _maps(core, "three")
    reported = watch.Watch().stream(
        core.list_namespaced_config_map, "default", resource_version=again, timeout_seconds=1
    )
    assert [event["object"].metadata.name for event in reported] == ["three"]


def test_a_watch_resumes_where_it_was(api: Any) -> None:
    core = client.CoreV1Api(api)
    follower = watch.Watch()
    _maps(core, "one")
    assert len(list(follower.stream(core.list_namespaced_config_map, "default", timeout_seconds=1))) == 1
    _maps(core, "two")
    resumed = follower.stream(
        core.list_namespaced_config_map, "default", resource_version=follower.resource_version, timeout_seconds=1
    )
    assert [event["object"].metadata.name for event in resumed] == ["two"]


def test_pages_go_on_at_one_version(api: Any) -> None:
    core = client.CoreV1Api(api)
    _maps(core, "a", "b", "c", "d", "e")
    first = core.list_namespaced_config_map("default", limit=2)
    core.delete_namespaced_config_map("c", "default")
    second = core.list_namespaced_config_map("default", limit=2, _continue=first.metadata._continue)
    third = core.list_namespaced_config_map("default", limit=2, _continue=second.metadata._continue)
    assert [one.metadata.name for page in (first, second, third) for one in page.items] == ["a", "b", "c", "d", "e"]
    assert (first.metadata.remaining_item_count, third.metadata._continue) == (3, None)


def test_the_dynamic_client_applies(api: Any) -> None:
    dyn = dynamic.DynamicClient(api)
    maps = dyn.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "1"}}
    applied = maps.server_side_apply(body=body, namespace="default", field_manager="me")
    assert applied.metadata.managedFields[0].manager == "me"
    with pytest.raises(ApiException) as refused:
        maps.server_side_apply(body={**body, "data": {"a": "2"}}, namespace="default", field_manager="other")
    assert refused.value.status == 409
    forced = maps.server_side_apply(
        body={**body, "data": {"a": "2"}}, namespace="default", field_manager="other", force_conflicts=True
    )
    assert forced.data.to_dict() == {"a": "2"}


def test_manifests_are_created_from_files(api: Any, tmp_path: Path) -> None:
    file = tmp_path / "manifests.yaml"
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "reader"}, "rules": []}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
    file.write_text(yaml.safe_dump_all([objects.replica_set("web", 2), service, role]))
    utils.create_from_yaml(api, str(file), namespace="default")
    assert client.RbacAuthorizationV1Api(api).read_namespaced_role("reader", "default").metadata.name == "reader"
    assert client.AppsV1Api(api).read_namespaced_replica_set("web", "default").spec.replicas == 2


def test_custom_kinds_come_go_and_have_a_status(api: Any) -> None:
    spec = {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}
    schema = {
        "type": "object",
        "properties": {"spec": spec, "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}},
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    names = {"plural": "things", "singular": "thing", "kind": "Thing"}
    body = {
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    extensions, custom = client.ApiextensionsV1Api(api), client.CustomObjectsApi(api)
    place = ("example.com", "v1", "default", "things")
    extensions.create_custom_resource_definition(body)
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": {"size": 1}}
    custom.create_namespaced_custom_object(*place, thing)
    with pytest.raises(ApiException) as refused:
        custom.create_namespaced_custom_object(*place, {**thing, "metadata": {"name": "two"}, "spec": {"size": 0}})
    assert refused.value.status == 422
    reported = custom.patch_namespaced_custom_object_status(
        *place, "one", {"status": {"ready": True}, "spec": {"size": 9}}
    )
    assert (reported["status"], reported["spec"]) == ({"ready": True}, {"size": 1})
    extensions.delete_custom_resource_definition("things.example.com")
    with pytest.raises(ApiException) as gone:
        custom.list_namespaced_custom_object(*place)
    assert gone.value.status == 404


def test_pods_are_evicted_and_their_owner_replaces_them(kube_api: KubeApi, api: Any) -> None:
    core = client.CoreV1Api(api)
    client.AppsV1Api(api).create_namespaced_replica_set("default", objects.replica_set("web", 1))
    kube_api.advance(10)
    (pod,) = core.list_namespaced_pod("default").items
    core.create_namespaced_pod_eviction(pod.metadata.name, "default", {"metadata": {"name": pod.metadata.name}})
    kube_api.advance(10)
    (other,) = core.list_namespaced_pod("default").items
    assert other.metadata.name != pod.metadata.name


def test_exec_and_logs_are_refused_clearly(kube_api: KubeApi, api: Any) -> None:
    core = client.CoreV1Api(api)
    core.create_namespaced_pod(
        "default", {"metadata": {"name": "alone"}, "spec": {"containers": [objects.container()]}}
    )
    kube_api.advance(10)
    with pytest.raises(ApiException) as refused:
        core.read_namespaced_pod_log("alone", "default")
    assert (refused.value.status, "there are no logs" in refused.value.body) == (501, True)
    with pytest.raises(ApiException) as closed:
        stream.stream(core.connect_get_namespaced_pod_exec, "alone", "default", command=["ls"], stdout=True)
    assert "501" in str(closed.value)


def test_who_one_is_and_may_do(api: Any) -> None:
    review = client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(
            resource_attributes=client.V1ResourceAttributes(verb="get", resource="pods")
        )
    )
    assert client.AuthorizationV1Api(api).create_self_subject_access_review(review).status.allowed is True
    me = client.AuthenticationV1Api(api).create_self_subject_review(client.V1SelfSubjectReview())
    assert me.status.user_info.username == "lockstep"
    assert client.VersionApi(api).get_code().git_version == "v1.36.3"


def test_bad_requests_have_a_status_that_the_client_reads(api: Any) -> None:
    sets = dynamic.DynamicClient(api).resources.get(api_version="apps/v1", kind="ReplicaSet")
    wrong = objects.replica_set("web", 2)
    wrong["spec"]["replicas"] = "two"
    with pytest.raises(ApiException) as refused:
        sets.create(body=wrong, namespace="default")
    assert refused.value.status == 400
    why = "json: cannot unmarshal string into Go struct field ReplicaSetSpec.spec.replicas of type int32"
    assert why in str(refused.value.body)
