"""Creating: names, system fields, defaults, validation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.kit import PODS, SETS, Client, pod, replica_set


def test_system_fields_come_from_the_server_and_its_clock(client: Client) -> None:
    client.advance(90.7)
    body = pod("a", uid="mine", creationTimestamp="1999-01-01T00:00:00Z", deletionTimestamp="1999-01-01T00:00:00Z")
    metadata = client.ok("POST", PODS, body)["metadata"]
    assert metadata["creationTimestamp"] == "2000-01-01T00:01:30Z"
    assert metadata["uid"].startswith("00000000-0000-4000-8000-")
    assert "deletionTimestamp" not in metadata
    assert metadata["uid"] < client.ok("POST", PODS, pod("b"))["metadata"]["uid"]


def test_generated_names_follow_from_the_seed(client: Client) -> None:
    names = [client.ok("POST", PODS, pod())["metadata"]["name"] for _ in range(3)]
    again = Client()
    assert names == [again.ok("POST", PODS, pod())["metadata"]["name"] for _ in range(3)]
    assert all(len(name) == len("web-") + 5 and set(name[4:]) <= set("bcdfghjklmnpqrstvwxz2456789") for name in names)


def test_a_generated_name_that_is_taken_is_drawn_again_up_to_eight_times(client: Client) -> None:
    taken = Client()
    names = [taken.ok("POST", PODS, pod())["metadata"]["name"] for _ in range(8)]
    for name in names[:7]:
        client.ok("POST", PODS, pod(name))
    assert client.ok("POST", PODS, pod())["metadata"]["name"] == names[7]
    other = Client()
    for name in names:
        other.ok("POST", PODS, pod(name))
    reply = other.call("POST", PODS, pod())
    assert (reply.status, reply.body["reason"]) == (409, "AlreadyExists")
    assert reply.body["message"].endswith(
        "already exists, the server was not able to generate a unique name for the object"
    )


def test_creating_twice_says_already_exists(client: Client) -> None:
    client.ok("POST", SETS, replica_set())
    reply = client.call("POST", SETS, replica_set())
    assert (reply.status, reply.body["message"]) == (409, 'replicasets.apps "web" already exists')
    client.ok("PATCH", f"{SETS}/web", {"metadata": {"finalizers": ["a/b"]}}, "application/merge-patch+json")
    client.ok("DELETE", f"{SETS}/web")
    message = client.call("POST", SETS, replica_set()).body["message"]
    assert message == 'object is being deleted: replicasets.apps "web" already exists'


def test_a_pod_gets_upstreams_defaults(client: Client) -> None:
    created = client.ok("POST", PODS, pod("a"))
    spec, container = created["spec"], created["spec"]["containers"][0]
    assert (spec["restartPolicy"], spec["terminationGracePeriodSeconds"]) == ("Always", 30)
    assert (spec["dnsPolicy"], spec["schedulerName"], spec["enableServiceLinks"]) == (
        "ClusterFirst",
        "default-scheduler",
        True,
    )
    assert (container["imagePullPolicy"], container["resources"]) == ("Always", {})
    assert created["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert created["metadata"]["generation"] == 1


def test_limits_become_requests_and_decide_the_quality_of_service(client: Client) -> None:
    body = pod("a")
    body["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "1", "memory": "1Gi"}}
    created = client.ok("POST", PODS, body)
    assert created["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1", "memory": "1Gi"}
    assert created["status"]["qosClass"] == "Guaranteed"


def test_amounts_come_back_as_go_writes_them(client: Client) -> None:
    whole = {"limits": {"cpu": "0.5", "memory": "1024Ki"}}
    body = pod("a")
    body["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1000m", "memory": 2097152, "x.y/z": "1.500"}}
    body["spec"]["resources"] = whole
    spec = client.ok("POST", PODS, body)["spec"]
    wanted = {"requests": {"cpu": "1", "memory": "2097152", "x.y/z": "1.500"}}
    assert spec["containers"][0]["resources"] == wanted
    assert spec["resources"] == {"limits": {"cpu": "500m", "memory": "1Mi"}}
    template = replica_set()
    template["spec"]["template"]["spec"]["containers"][0]["resources"] = whole
    stored = client.ok("POST", SETS, template)["spec"]["template"]["spec"]["containers"][0]["resources"]
    assert stored == {"limits": {"cpu": "500m", "memory": "1Mi"}}


def test_a_replica_set_gets_one_replica_and_a_defaulted_template(client: Client) -> None:
    created = client.ok("POST", SETS, replica_set(replicas=None))
    assert created["spec"]["replicas"] == 1
    assert created["spec"]["template"]["spec"]["restartPolicy"] == "Always"
    assert "enableServiceLinks" not in created["spec"]["template"]["spec"]


BAD_NAME = (
    'metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric '
    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
TWO_CONTROLLERS = (
    'Only one reference can have Controller set to true. Found "true" in references for ReplicaSet/r and ReplicaSet/s'
)
_OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "controller": True}


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (SETS, replica_set(replicas=-1), "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        (
            SETS,
            replica_set(minReadySeconds=-2),
            "spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0",
        ),
        (
            SETS,
            replica_set(selector={"matchLabels": {"app": "other"}}),
            'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
        ),
        (SETS, replica_set(selector={}), "spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
        (
            SETS,
            replica_set(selector={"matchExpressions": [{"key": "app", "operator": "Is"}]}),
            'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        ),
        (
            SETS,
            replica_set(selector={"matchExpressions": [{"key": "app", "operator": "In"}]}),
            "values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (SETS, {**replica_set(), "metadata": {}}, "metadata.name: Required value: name or generateName is required"),
        (
            PODS,
            pod("Bad_Name"),
            BAD_NAME,
        ),
        (PODS, pod("a", labels={"x": "-no-"}), "a valid label must be an empty string or consist of"),
        (
            PODS,
            pod("a", ownerReferences=[{**_OWNER, "name": "r", "uid": "1"}, {**_OWNER, "name": "s", "uid": "2"}]),
            TWO_CONTROLLERS,
        ),
        (PODS, {**pod("a"), "spec": {"containers": []}}, "spec.containers: Required value"),
        (PODS, {**pod("a"), "spec": {"containers": [{"name": "x"}]}}, "spec.containers[0].image: Required value"),
        (
            PODS,
            pod("a", finalizers=["orphan", "foregroundDeletion"]),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ),
    ],
)
def test_invalid_objects_are_refused_with_upstreams_words(client: Client, path: str, body: Any, message: str) -> None:
    reply = client.call("POST", path, body)
    assert (reply.status, reply.body["reason"]) == (422, "Invalid")
    assert message in reply.body["message"]
    assert any(
        cause["field"] and cause["message"] in reply.body["message"] for cause in reply.body["details"]["causes"]
    )


def test_a_set_without_selector_and_template_is_refused_with_both_errors(client: Client) -> None:
    reply = client.call("POST", SETS, {"metadata": {"name": "x"}, "spec": {}})
    assert reply.body["message"] == (
        'ReplicaSet.apps "x" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: '
        "null: `selector` does not match template `labels`, spec.template.spec.containers: Required value]"
    )


def test_values_of_the_wrong_type_are_bad_requests(client: Client) -> None:
    wrong: tuple[Any, ...] = (
        {**replica_set(), "spec": {**replica_set()["spec"], "replicas": "two"}},
        {**replica_set(), "metadata": {"name": "x", "labels": {"a": 1}}},
        {**replica_set(), "metadata": []},
        [],
        "x",
        None,
        {**replica_set(), "spec": 3},
        {**replica_set(), "apiVersion": "apps/v2"},
        {**replica_set(), "kind": "Pod"},
    )
    for body in wrong:
        reply = client.call("POST", SETS, body)
        assert (reply.status, reply.body["reason"]) == (400, "BadRequest"), body


def test_namespaces(client: Client) -> None:
    there = "/api/v1/namespaces/nowhere/pods"
    reply = client.call("POST", there, pod("a"))
    assert (reply.status, reply.body["message"]) == (404, 'namespaces "nowhere" not found')
    reply = client.call("POST", PODS, pod("a", namespace="kube-system"))
    assert reply.body["message"] == (
        "the namespace of the provided object does not match the namespace sent on the request"
    )


def test_a_terminating_namespace_takes_nothing_new(client: Client) -> None:
    client.ok("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})
    there = "/api/v1/namespaces/n/pods"
    client.ok("POST", there, pod("old"))
    client.ok("DELETE", "/api/v1/namespaces/n")
    reply = client.call("POST", there, pod())
    assert (reply.status, reply.body["reason"]) == (403, "Forbidden")
    assert reply.body["message"] == (
        'pods "web-" is forbidden: unable to create new content in namespace n because it is being terminated'
    )
    assert reply.body["details"]["causes"] == [
        {"reason": "NamespaceTerminating", "message": "namespace n is being terminated", "field": "metadata.namespace"}
    ]
    namespace = client.ok("GET", "/api/v1/namespaces/n")
    assert (namespace["status"]["phase"], namespace["spec"]["finalizers"]) == ("Terminating", ["kubernetes"])
    client.ok("PATCH", f"{there}/old", {"metadata": {"labels": {"x": "1"}}}, "application/merge-patch+json")
    client.ok("PUT", "/api/v1/namespaces/n/finalize", {**namespace, "spec": {}})
    assert client.call("GET", "/api/v1/namespaces/n").status == 404


def test_dry_run_stores_nothing(client: Client) -> None:
    version = client.server.resource_version
    assert client.ok("POST", PODS, pod("a"), dryRun="All")["metadata"]["name"] == "a"
    assert client.server.resource_version == version
    assert client.call("GET", f"{PODS}/a").status == 404


def test_events_have_two_faces(client: Client) -> None:
    body = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "a", "namespace": "default"},
        "reason": "R",
        "message": "hello",
        "type": "Normal",
        "count": 1,
        "source": {"component": "c"},
    }
    client.ok("POST", "/api/v1/namespaces/default/events", body)
    new = client.ok("GET", "/apis/events.k8s.io/v1/namespaces/default/events/e")
    assert (new["apiVersion"], new["note"], new["regarding"]["name"]) == ("events.k8s.io/v1", "hello", "a")
    listed = client.ok("GET", "/api/v1/events", fieldSelector="involvedObject.name=a,source=c")
    assert [item["message"] for item in listed["items"]] == ["hello"]
    patched = client.ok(
        "PATCH", "/api/v1/namespaces/default/events/e", {"count": 2}, "application/strategic-merge-patch+json"
    )
    assert patched["count"] == 2
    elsewhere = client.call("POST", "/api/v1/namespaces/kube-system/events", {**body, "metadata": {"name": "f"}})
    assert (
        'involvedObject.namespace: Invalid value: "default": does not match event.namespace'
        in (elsewhere.body["message"])
    )


def test_custom_resources_are_served_once_defined(client: Client) -> None:
    things = "/apis/example.com/v1/namespaces/default/things"
    assert client.call("GET", things).status == 404
    definition = {
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {
                        "status": {},
                        "scale": {
                            "specReplicasPath": ".spec.size",
                            "statusReplicasPath": ".status.size",
                            "labelSelectorPath": ".status.selector",
                        },
                    },
                }
            ],
        },
    }
    client.ok("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    created = client.ok(
        "POST",
        things,
        {
            "apiVersion": "example.com/v1",
            "kind": "Thing",
            "metadata": {"name": "t"},
            "spec": {"size": 2},
            "status": {"size": 5},
        },
    )
    assert "status" not in created
    client.ok("PUT", f"{things}/t/status", {**created, "status": {"size": 1, "selector": "a=b"}})
    scale = client.ok("GET", f"{things}/t/scale")
    assert (scale["spec"], scale["status"]) == ({"replicas": 2}, {"replicas": 1, "selector": "a=b"})
    client.ok("PUT", f"{things}/t/scale", {**scale, "spec": {"replicas": 7}})
    assert client.server.find("things.example.com", "default", "t")["spec"] == {"size": 7}
    assert client.call("PATCH", f"{things}/t", {}, "application/strategic-merge-patch+json").status == 415
    client.ok("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com")
    assert client.call("GET", things).status == 404


def test_equal_owner_references_count_once(client: Client) -> None:
    reference = {**_OWNER, "name": "r", "uid": "1"}
    created = client.ok("POST", PODS, pod("a", ownerReferences=[reference, dict(reference)]))
    assert created["metadata"]["ownerReferences"] == [reference]


@pytest.mark.parametrize(
    ("cost", "accepted"),
    [("7", True), ("-7", True), ("0", True), ("+7", False), ("07", False), ("seven", False), ("2147483648", False)],
)
def test_a_deletion_cost_is_a_32_bit_integer(client: Client, cost: str, accepted: bool) -> None:
    body = pod("costly")
    body["metadata"]["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
    reply = client.call("POST", PODS, body)
    assert reply.status == (201 if accepted else 422)
    assert accepted or "must be a 32bit integer" in reply.body["message"]
