"""Which VPA controls a pod, how boosts end, how statuses and checkpoints are written (pkg/utils/vpa/api_test.go)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep.wire.gotime import SECOND
from lockstep.wire.selectors import selector_from
from lockstep_reference.machinery.transport import Response
from lockstep_reference.vpa.apis import resource_list
from lockstep_reference.vpa.target.controller_fetcher import ControllerKeyWithApiVersion, NodeInvalidOwner
from lockstep_reference.vpa.utils.annotations import (
    observed_containers_value,
    original_resources_of,
    original_resources_value,
    parse_observed_containers,
)
from lockstep_reference.vpa.utils.resources import container_requests_and_limits
from lockstep_reference.vpa.utils.vpa.api import VpaWithSelector, get_controlling_vpa_for_pod
from lockstep_reference.vpa.utils.vpa.policies import (
    get_container_controlled_values,
    get_container_resource_policy,
    get_update_mode,
    has_startup_boost,
)
from lockstep_reference.vpa.utils.vpa.startup_boost import get_expired_startup_cpu_boost_annotations
from lockstep_reference.vpa.utils.vpa.writing import (
    CheckpointError,
    create_or_update_vpa_checkpoint,
    semantically_equal,
    update_vpa_status_if_needed,
)
from tests.machinery.fake_server import World, status
from tests.reference_vpa.vpa_kit import container, owned, pod, recommended, vpa

Wire = dict[str, Any]


class _Parents:
    """Every controller is its own topmost one, but for those named here."""

    def __init__(self, **parents: str | Exception) -> None:
        self._parents = parents

    async def find_top_most_well_known_or_scalable(
        self, controller: ControllerKeyWithApiVersion | None
    ) -> ControllerKeyWithApiVersion | None:
        assert controller is not None
        found = self._parents.get(controller.name, controller.name)
        if isinstance(found, Exception):
            raise found
        return controller._replace(name=found)


def _vpa_of(target: str, name: str = "vpa", *, created: int = 0, kind: str = "ReplicaSet") -> VpaWithSelector:
    made = vpa(targetRef={"apiVersion": "apps/v1", "kind": kind, "name": target})
    made["metadata"] |= {"name": name, "creationTimestamp": f"2000-01-01T00:00:{created:02}Z"}
    return VpaWithSelector(made, selector_from({"matchLabels": {"app": "web"}}))


def _controlling(one: Wire, *vpas: VpaWithSelector, **parents: str | Exception) -> str | None:
    found = asyncio.run(get_controlling_vpa_for_pod(one, vpas, _Parents(**parents)))
    return None if found is None else str(found.vpa["metadata"]["name"])


def _owned_pod(owner: str = "web", labels: Wire | None = None) -> Wire:
    metadata = {"labels": {"app": "web"} if labels is None else labels, "ownerReferences": owned("ReplicaSet", owner)}
    return pod(container(), metadata=metadata)


def test_the_controlling_vpa() -> None:
    assert _controlling(_owned_pod(), _vpa_of("web")) == "vpa"
    assert _controlling(_owned_pod("other"), _vpa_of("web")) is None
    assert _controlling(_owned_pod("other"), _vpa_of("web"), other="web") == "vpa"
    assert _controlling(_owned_pod(labels={}), _vpa_of("web")) is None
    assert _controlling(_owned_pod(), _vpa_of("web", kind="Deployment")) is None
    assert _controlling(pod(container(), metadata={"labels": {"app": "web"}}), _vpa_of("web")) is None


def test_the_oldest_one_controls_and_of_twins_the_first_by_name() -> None:
    young, old = _vpa_of("web", "a", created=9), _vpa_of("web", "b", created=1)
    assert _controlling(_owned_pod(), young, old) == "b"
    assert _controlling(_owned_pod(), _vpa_of("web", "y"), _vpa_of("web", "x")) == "x"


def test_a_pod_of_a_node_has_no_vpa() -> None:
    assert _controlling(_owned_pod(), _vpa_of("web"), web=NodeInvalidOwner("node")) is None


def test_of_several_controllers_the_last_one_counts() -> None:
    one = _owned_pod()
    one["metadata"]["ownerReferences"] = owned("ReplicaSet", "first") + owned("ReplicaSet", "last")
    assert _controlling(one, _vpa_of("last")) == "vpa"


def test_policies() -> None:
    policies = [{"containerName": "*", "mode": "Off"}, {"containerName": "app", "controlledValues": "RequestsOnly"}]
    policy = {"containerPolicies": policies}
    assert get_container_resource_policy("app", policy) is policies[1]
    assert get_container_resource_policy("other", policy) is policies[0]
    assert get_container_resource_policy("app", None) is None
    assert get_container_controlled_values("app", policy) == "RequestsOnly"
    assert get_container_controlled_values("other", policy) == "RequestsAndLimits"


def test_modes_and_boosts() -> None:
    assert [get_update_mode(each) for each in (vpa(), vpa(updatePolicy={}), vpa(mode="Off"))] == [
        "Recreate",
        "Recreate",
        "Off",
    ]
    assert not has_startup_boost(vpa(policies=[{"containerName": "*"}]))
    assert has_startup_boost(vpa(startupBoost={}))
    assert has_startup_boost(vpa(policies=[{"containerName": "*", "startupBoost": {}}]))


def _boosted(ready: str | None, since: str | None = "2000-01-01T00:00:00Z") -> Wire:
    conditions = [{"type": "Ready", "status": ready, "lastTransitionTime": since}] if ready else []
    annotations = {"vpaCpuStartupBoost/app": "{}", "vpaCpuStartupBoost/side": "{}", "other": "1"}
    return pod(container(), metadata={"annotations": annotations}, status={"conditions": conditions})


@pytest.mark.parametrize(
    ("ready", "now", "wanted"),
    [
        (None, 100, []),
        ("False", 100, []),
        ("True", 10, []),
        ("True", 11, ["side"]),
        ("True", 60, ["side"]),
        ("True", 61, ["app", "side"]),
    ],
)
def test_boosts_end_some_time_after_the_pod_is_ready(ready: str | None, now: int, wanted: list[str]) -> None:
    own = {"containerName": "side", "startupBoost": {"cpu": {"durationSeconds": 10}}}
    timed = vpa(startupBoost={"cpu": {"durationSeconds": 60}}, policies=[own])
    expired = get_expired_startup_cpu_boost_annotations(_boosted(ready), timed, now * SECOND)
    assert expired == [f"vpaCpuStartupBoost/{name}" for name in wanted]


def test_boosts_without_a_duration_end_at_once() -> None:
    assert len(get_expired_startup_cpu_boost_annotations(_boosted("True"), vpa(), 0)) == 2
    assert len(get_expired_startup_cpu_boost_annotations(_boosted("True", None), vpa(), 0)) == 2


def test_annotations() -> None:
    assert observed_containers_value(pod(container("a"), container("b"))) == "a, b"
    full = container(requests={"cpu": "1", "memory": "1Gi", "x.com/gpu": "1"}, limits={"memory": "2Gi"})
    value = original_resources_value(full)
    assert value == '{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"memory":"2Gi"}}'
    marked = pod(full, metadata={"annotations": {"vpaCpuStartupBoost/app": value}})
    original = original_resources_of(marked, "app")
    assert original is not None
    assert original.requests == resource_list({"cpu": "1", "memory": "1Gi"})
    assert original_resources_of(marked, "other") is None
    with pytest.raises(ValueError, match="no lists of resources"):
        original_resources_of(pod(metadata={"annotations": {"vpaCpuStartupBoost/app": "[]"}}), "app")


@pytest.mark.parametrize(
    ("value", "wanted"), [(None, None), ("", set()), ("a, b", {"a", "b"}), ("a,b", None), ("A", None), ("a, ", None)]
)
def test_observed_containers(value: str | None, wanted: set[str] | None) -> None:
    one = pod(container(), metadata={"annotations": {"vpaObservedContainers": value}} if value is not None else {})
    assert parse_observed_containers(one) == wanted


def test_what_the_kubelet_reports_comes_first() -> None:
    reported = {"containerStatuses": [{"name": "app", "resources": {"requests": {"cpu": "2"}}}]}
    spec = container(requests={"cpu": "1"}, limits={"cpu": "3"})
    assert container_requests_and_limits("app", pod(spec, status=reported)) == (resource_list({"cpu": "2"}), None)
    silent = {"containerStatuses": [{"name": "app"}]}
    found = container_requests_and_limits("app", pod(spec, status=silent))
    assert found == (resource_list({"cpu": "1"}), resource_list({"cpu": "3"}))
    assert container_requests_and_limits("gone", pod(spec)) == (None, None)


def _recommending(target: Wire) -> Wire:
    return {"recommendation": {"containerRecommendations": [recommended(target=target)]}}


_STATUS: Wire = {
    "observedGeneration": 1,
    "conditions": [{"type": "RecommendationProvided", "status": "True"}],
    "recommendation": {"containerRecommendations": [recommended(target={"memory": "250Mi", "cpu": "1"})]},
}


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        ({}, True),
        (
            _recommending(target={"memory": "262144000", "cpu": 1}),
            True,
        ),
        (
            _recommending(target={"memory": "250Mi", "cpu": "2"}),
            False,
        ),
        (_recommending(target={"memory": "250Mi"}), False),
        ({"recommendation": {}}, False),
        ({"recommendation": None}, False),
        ({"observedGeneration": 2}, False),
        ({"conditions": []}, False),
    ],
)
def test_statuses_that_mean_the_same(other: Wire, wanted: bool) -> None:
    assert semantically_equal(_STATUS, {**_STATUS, **other}) is wanted
    assert semantically_equal({**_STATUS, **other}, _STATUS) is wanted


def test_a_status_is_written_only_if_it_differs() -> None:
    world = World()
    world.server.script = lambda *_: Response(200, {"kind": "VerticalPodAutoscaler"})
    client = world.client.resource("verticalpodautoscalers", "autoscaling.k8s.io/v1")

    async def write() -> None:
        assert await update_vpa_status_if_needed(client, "default", "web", dict(_STATUS), _STATUS) is None
        assert await update_vpa_status_if_needed(client, "default", "web", _STATUS, None) is not None

    world.run(write())
    [(_, method, path, _, body)] = world.server.requests
    assert (method, path.rpartition("default/")[2]) == ("PATCH", "verticalpodautoscalers/web/status")
    assert body == [{"op": "add", "path": "/status", "value": _STATUS}]


_CHECKPOINT: Wire = {
    "metadata": {"name": "web-app", "namespace": "default"},
    "spec": {"vpaObjectName": "web", "containerName": "app"},
    "status": {"version": "v3"},
}


@pytest.mark.parametrize(
    ("answer", "methods", "error"),
    [
        (Response(200, {}), ["PATCH"], ""),
        (status(404, "NotFound", 'verticalpodautoscalercheckpoints "web-app" not found'), ["PATCH", "POST"], ""),
        (status(404, "NotFound", 'namespaces "default" not found'), ["PATCH"], 'namespaces "default" not found'),
        (status(409, "Conflict", "try again"), ["PATCH"], "try again"),
    ],
)
def test_checkpoints_are_patched_or_made(answer: Response, methods: list[str], error: str) -> None:
    world = World()
    answers = {"PATCH": answer, "POST": Response(201, {})}
    world.server.script = lambda method, *_: answers[method]
    client = world.client.resource("verticalpodautoscalercheckpoints", "autoscaling.k8s.io/v1")
    said = ""
    try:
        world.run(create_or_update_vpa_checkpoint(client, _CHECKPOINT))
    except CheckpointError as failure:
        said = str(failure)
    assert [method for _, method, *_ in world.server.requests] == methods
    assert world.server.requests[0][4] == [{"op": "replace", "path": "/status", "value": {"version": "v3"}}]
    wanted = f"cannot save checkpoint for vpa default/web-app container app. Reason: {error}"
    assert said == (wanted if error else "")
