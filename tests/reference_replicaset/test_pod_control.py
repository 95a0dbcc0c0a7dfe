"""Creating and deleting pods: what is sent, which events follow, which errors come back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.pod_control import (
    PodControlError,
    RealPodControl,
    get_pod_from_template,
    get_pods_prefix,
    new_controller_ref,
    validate_controller_ref,
)
from lockstep_reference.machinery.transport import Response, WatchStream
from tests.reference_replicaset.objects import Object, make_pod, make_rs, owner_ref


class Server:
    """A transport that gives one answer to everything."""

    def __init__(self, status: int = 200, body: Any = None) -> None:
        self.response = Response(status, body)
        self.requests: list[tuple[str, str, Any, str]] = []

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        self.requests.append((method, path, body, content_type))
        return self.response

    async def watch(self, path: str, query: Mapping[str, str]) -> WatchStream | Response:
        return self.response


class Recorder:
    def __init__(self) -> None:
        self.events: list[tuple[str, str, str]] = []

    def event(self, obj: Object, event_type: str, reason: str, message: str) -> None:
        self.events.append((event_type, reason, message))


def refusal(code: int, reason: str, message: str, cause: str = "") -> Object:
    details = {"causes": [{"reason": cause}]} if cause else {}
    return {
        "kind": "Status",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
        "details": details,
    }


class Bench:
    """Pod control with everything around it recorded."""

    def __init__(self, status: int = 200, body: Any = None) -> None:
        self.server = Server(status, body)
        self.recorder = Recorder()
        self.written: list[tuple[Object, Object | None]] = []
        self.control = RealPodControl(Client(self.server), self.recorder, self._wrote)

    def _wrote(self, pod: Object, owner: Object | None) -> None:
        self.written.append((pod, owner))

    def create(self, rs: Object) -> None:
        template = rs["spec"]["template"]
        asyncio.run(self.control.create_pods("default", template, rs, new_controller_ref(rs, "apps/v1", "ReplicaSet")))

    def delete(self, rs: Object) -> None:
        asyncio.run(self.control.delete_pod("default", "web-x", rs))


def test_a_created_pod_is_reported_to_the_recorder_and_to_on_write() -> None:
    created = make_pod("web-abcde", version="12")
    bench = Bench(201, created)
    rs = make_rs()
    bench.create(rs)
    pod = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"generateName": "web-", "labels": {"app": "web"}, "ownerReferences": [owner_ref()]},
        "spec": rs["spec"]["template"]["spec"],
        "status": {},
    }
    assert bench.server.requests == [("POST", "/api/v1/namespaces/default/pods", pod, "application/json")]
    assert bench.recorder.events == [("Normal", "SuccessfulCreate", "Created pod: web-abcde")]
    assert bench.written == [(created, owner_ref())]


def test_a_refused_create_is_an_event_and_an_error() -> None:
    bench = Bench(403, refusal(403, "Forbidden", "exceeded quota"))
    with pytest.raises(ApiError, match="exceeded quota"):
        bench.create(make_rs())
    assert bench.recorder.events == [("Warning", "FailedCreate", "Error creating: exceeded quota")]
    assert bench.written == []


def test_a_terminating_namespace_is_no_event() -> None:
    bench = Bench(403, refusal(403, "Forbidden", "is being terminated", "NamespaceTerminating"))
    with pytest.raises(ApiError):
        bench.create(make_rs())
    assert bench.recorder.events == []


def test_pods_without_labels_are_not_created_and_have_no_event() -> None:
    bench = Bench()
    with pytest.raises(PodControlError, match=r"^unable to create pods, no labels$"):
        bench.create(make_rs(labels={}))
    assert (bench.server.requests, bench.recorder.events) == ([], [])


def test_delete() -> None:
    bench = Bench(200, make_pod("web-x", deleted=True))
    bench.delete(make_rs())
    options = {"kind": "DeleteOptions", "apiVersion": "v1"}
    assert bench.server.requests == [("DELETE", "/api/v1/namespaces/default/pods/web-x", options, "application/json")]
    assert bench.recorder.events == [("Normal", "SuccessfulDelete", "Deleted pod: web-x")]
    assert bench.written == []


def test_a_refused_delete_is_an_event_and_an_error() -> None:
    bench = Bench(403, refusal(403, "Forbidden", "no"))
    with pytest.raises(PodControlError, match=r"^unable to delete pods: no$"):
        bench.delete(make_rs())
    assert bench.recorder.events == [("Warning", "FailedDelete", "Error deleting: no")]


def test_a_pod_that_is_gone_is_an_error_without_an_event() -> None:
    bench = Bench(404, refusal(404, "NotFound", "gone"))
    with pytest.raises(ApiError, match="gone"):
        bench.delete(make_rs())
    assert bench.recorder.events == []


@pytest.mark.parametrize("owned", [True, False])
def test_a_patched_pod_is_reported_with_its_new_controller(owned: bool) -> None:
    patched = make_pod("p", owner=owner_ref() if owned else None)
    bench = Bench(200, patched)
    asyncio.run(bench.control.patch_pod("default", "p", {"metadata": {"uid": "u"}}))
    method, path, body, content_type = bench.server.requests[0]
    assert (method, path, body) == ("PATCH", "/api/v1/namespaces/default/pods/p", {"metadata": {"uid": "u"}})
    assert content_type == "application/strategic-merge-patch+json"
    assert bench.written == [(patched, owner_ref() if owned else None)]


def test_the_template_fills_the_pod_and_stays_as_it_is() -> None:
    template = {
        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["x/y"], "name": "ignored"},
        "spec": {"containers": []},
    }
    pod = get_pod_from_template(template, make_rs(), None)
    assert pod["metadata"] == {
        "generateName": "web-",
        "labels": {"a": "b"},
        "annotations": {"c": "d"},
        "finalizers": ["x/y"],
    }
    assert pod["spec"] == {"containers": []}


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("web", "web-"), ("w", "w-"), ("a.b", "a.b-"), ("x" * 253, "x" * 253 + "-"), ("x" * 254, "x" * 254), ("A", "A-")],
)
def test_the_dash_is_left_out_only_if_the_name_is_too_long(name: str, prefix: str) -> None:
    # "A-": the check replaces the two last characters, so it never sees the capital. Upstream's check does not, either.
    assert get_pods_prefix(name) == prefix


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("apiVersion", "", "controllerRef has empty APIVersion"),
        ("kind", "", "controllerRef has empty Kind"),
        ("controller", False, "controllerRef.Controller is not set to true"),
        ("blockOwnerDeletion", None, "controllerRef.BlockOwnerDeletion is not set"),
    ],
)
def test_a_controller_reference_must_be_complete(field: str, value: Any, message: str) -> None:
    validate_controller_ref(owner_ref())
    with pytest.raises(PodControlError, match=f"^{message}$"):
        validate_controller_ref({**owner_ref(), field: value})
