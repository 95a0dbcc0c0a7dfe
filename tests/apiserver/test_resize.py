"""pods/NAME/resize, and what LimitRanges have to say about it."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from tests.apiserver.kit import JSON_PATCH, PODS, STRATEGIC, Client, pod

RESIZE = f"{PODS}/a/resize"
SIZE = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}


def created(client: Client, **spec: Any) -> dict[str, Any]:
    made = pod("a")
    made["spec"]["containers"][0]["resources"] = SIZE
    made["spec"].update(spec)
    return client.ok("POST", PODS, made)


def running(client: Client, **status: Any) -> None:
    made = client.ok("GET", f"{PODS}/a")
    one = {"name": "web", "state": {"running": {}}, **status}
    client.ok("PUT", f"{PODS}/a/status", {**made, "status": {**made["status"], "containerStatuses": [one]}})


def resources(**amounts: str) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "web", "resources": {"requests": amounts}}]}}


def causes(reply: Any) -> list[tuple[str, str]]:
    assert reply.status == 422, reply.body
    return [(one["field"], one["message"]) for one in reply.body["details"]["causes"]]


def test_resize_changes_resources_and_nothing_else(client: Client) -> None:
    created(client)
    body = resources(cpu="2")
    body["spec"]["containers"][0]["image"] = "other"
    body["metadata"] = {"labels": {"new": "label"}}
    after = client.ok("PATCH", RESIZE, body, STRATEGIC)
    container = after["spec"]["containers"][0]
    assert container["resources"] == {"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"memory": "2Gi"}}
    assert container["image"] == "nginx"
    assert (after["metadata"]["generation"], after["metadata"]["labels"]) == (2, {"app": "web"})
    assert client.writes[-1].subresource == "resize"


def test_a_json_patch_as_the_updater_sends_it(client: Client) -> None:
    created(client)
    body = [{"op": "add", "path": "/spec/containers/0/resources/requests/cpu", "value": "1500m"}]
    after = client.ok("PATCH", RESIZE, body, JSON_PATCH)
    assert after["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "1500m"
    assert client.ok("PATCH", RESIZE, body, JSON_PATCH)["metadata"]["generation"] == 2  # nothing new


def test_the_quality_of_service_stays(client: Client) -> None:
    created(client)
    body = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}
    reply = client.call("PATCH", RESIZE, {"spec": {"containers": [{"name": "web", "resources": body}]}}, STRATEGIC)
    assert causes(reply) == [
        ("spec", 'Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing')
    ]


def test_what_a_resize_may_not_do(client: Client) -> None:
    made = created(client)
    path = "/spec/containers/0/resources"
    gone = client.call("PATCH", RESIZE, [{"op": "remove", "path": f"{path}/requests/memory"}], JSON_PATCH)
    # what has a limit is requested by default, so the request stays ...
    assert gone.status == 200
    assert gone.body["spec"]["containers"][0]["resources"]["requests"]["memory"] == "2Gi"
    gone = client.call("PATCH", RESIZE, [{"op": "remove", "path": f"{path}/requests/cpu"}], JSON_PATCH)
    assert causes(gone) == [("spec.containers[0].resources.requests", "Forbidden: resource requests cannot be removed")]
    gone = client.call("PATCH", RESIZE, [{"op": "remove", "path": f"{path}/limits"}], JSON_PATCH)
    assert causes(gone) == [("spec.containers[0].resources.limits", "Forbidden: resource limits cannot be removed")]
    other = client.call("PATCH", RESIZE, resources(**{"ephemeral-storage": "1Gi"}), STRATEGIC)
    assert causes(other) == [("spec", "Forbidden: only cpu and memory resources are mutable")]
    more = [{"op": "add", "path": "/spec/containers/-", "value": {**made["spec"]["containers"][0], "name": "b"}}]
    assert causes(client.call("PATCH", RESIZE, more, JSON_PATCH)) == [
        ("spec.containers", "Forbidden: containers may not be added or removed on resize")
    ]
    renamed = [{"op": "replace", "path": "/spec/containers/0/name", "value": "b"}]
    assert causes(client.call("PATCH", RESIZE, renamed, JSON_PATCH)) == [
        ("spec.containers[0].name", "Forbidden: containers may not be renamed or reordered on resize")
    ]
    assert client.call("PATCH", RESIZE, resources(cpu="-1"), STRATEGIC).status == 422
    stale = {**made, "metadata": {**made["metadata"], "resourceVersion": "1"}}
    assert client.call("PUT", RESIZE, stale).status == 409


def test_init_containers_that_restart_to_be_resized(client: Client) -> None:
    first = {
        **objects.container("init", resources={"requests": {"cpu": "1"}}),
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}],
    }
    created(client, initContainers=[first])
    body = [{"op": "replace", "path": "/spec/initContainers/0/resources/requests/cpu", "value": "2"}]
    assert causes(client.call("PATCH", RESIZE, body, JSON_PATCH)) == [
        (
            "spec.initContainers[0]",
            "Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized",
        )
    ]


@pytest.mark.parametrize(("status", "code"), [({}, 422), ({"resources": {}}, 200)])
def test_nodes_that_cannot_resize(client: Client, status: dict[str, Any], code: int) -> None:
    created(client)
    running(client, **status)
    reply = client.call("PATCH", RESIZE, resources(cpu="2"), STRATEGIC)
    assert reply.status == code
    if code == 422:
        assert causes(reply) == [("spec", "Forbidden: Pod running on node without support for resize")]


# -- limit ranges -----------------------------------------------------------------------------------------------------


def limit(client: Client, *items: dict[str, Any]) -> None:
    client.ok("POST", "/api/v1/namespaces/default/limitranges", objects.limit_range("bounds", *items))


def test_limit_ranges_bound_resizes(client: Client) -> None:
    created(client)
    limit(client, objects.limits(most={"memory": "3Gi"}), objects.limits("Pod", least={"cpu": "500m"}))
    assert client.call("PATCH", RESIZE, resources(cpu="2"), STRATEGIC).status == 200
    reply = client.call("PATCH", RESIZE, resources(cpu="100m"), STRATEGIC)
    assert (reply.status, reply.body["message"]) == (
        403,
        'pods "a" is forbidden: minimum cpu usage per Pod is 500m, but request is 100m',
    )


def test_other_updates_pass_limit_ranges(client: Client) -> None:
    made = created(client)
    limit(client, objects.limits(least={"cpu": "10"}))
    made["spec"]["containers"][0]["image"] = "nginx:2"
    client.ok("PUT", f"{PODS}/a", made)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (objects.limits("Pod", most={"memory": "5Gi"}), "maximum memory usage per Pod is 5Gi, but limit is 6Gi"),
        (objects.limits("Pod", least={"cpu": "3"}), "minimum cpu usage per Pod is 3, but request is 2500m"),
        (objects.limits("Pod", most={"cpu": "3"}), "maximum cpu usage per Pod is 3.  No limit is specified"),
        (
            objects.limits("Pod", ratio={"memory": "1500m"}),
            "memory max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000",
        ),
        (
            objects.limits("Pod", ratio={"cpu": "2"}),
            "cpu max limit to request ratio per Pod is 2, but no limit is specified or limit is 0",
        ),
        (
            objects.limits("Pod", ratio={"hugepages-2Mi": "2"}),
            "hugepages-2Mi max limit to request ratio per Pod is 2, but no request is specified or request is 0",
        ),
    ],
)
def test_limits_of_whole_pods(client: Client, item: dict[str, Any], message: str) -> None:
    limit(client, item)
    made = pod("a")
    side_car = {"requests": {"cpu": "500m", "memory": "2Gi"}, "limits": {"memory": "4Gi"}}
    made["spec"]["containers"] = [objects.container("one", resources=SIZE)]
    made["spec"]["initContainers"] = [
        objects.container("early", resources={"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}}),
        {**objects.container("side", resources=side_car), "restartPolicy": "Always"},
        objects.container("late", resources={"requests": {"cpu": "2", "memory": "1Gi"}}),
    ]
    reply = client.call("POST", PODS, made)
    assert (reply.status, reply.body["message"]) == (403, f'pods "a" is forbidden: {message}')


@pytest.mark.parametrize(
    ("item", "field", "message"),
    [
        (objects.limits("Node"), "type", 'Invalid value: "Node": must be a standard limit type or fully qualified'),
        (
            objects.limits("Pod", default={"cpu": "1"}),
            "default",
            "Forbidden: may not be specified when `type` is 'Pod'",
        ),
        (
            objects.limits("Pod", least={"cpu": "2"}, most={"cpu": "1"}),
            "min[cpu]",
            'Invalid value: "2": min value 2 is greater than max value 1',
        ),
        (
            objects.limits(default={"cpu": "1"}, default_request={"cpu": "2"}),
            "defaultRequest[cpu]",
            'Invalid value: "2": default request value 2 is greater than default limit value 1',
        ),
        (
            objects.limits(default={"cpu": "3"}, default_request={"cpu": "1"}, most={"cpu": "2"}),
            "default[cpu]",
            'Invalid value: "2": default value 3 is greater than max value 2',
        ),
        (
            objects.limits("Pod", ratio={"memory": "500m"}),
            "maxLimitRequestRatio[memory]",
            'Invalid value: "500m": ratio 500m is less than 1',
        ),
        (
            objects.limits("Pod", least={"cpu": "1"}, most={"cpu": "2"}, ratio={"cpu": "3"}),
            "maxLimitRequestRatio[cpu]",
            'Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
        ),
        (
            objects.limits("Pod", most={"cpu": "much"}),
            "max[cpu]",
            (
                'Invalid value: "much": quantities must match the regular expression '
                "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            ),
        ),
    ],
)
def test_what_a_limit_range_must_look_like(client: Client, item: dict[str, Any], field: str, message: str) -> None:
    reply = client.call("POST", "/api/v1/namespaces/default/limitranges", objects.limit_range("bounds", item))
    assert causes(reply) == [(f"spec.limits[0].{field}", message)]
