"""Targets of VPAs, and the controllers above them. Source: pkg/target/controller_fetcher/controller_fetcher_test.go."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.scale import Scale
from lockstep_reference.vpa.target.controller_cache_storage import ControllerCacheStorage, ScaleKey
from lockstep_reference.vpa.target.controller_fetcher import (
    ControllerKeyWithApiVersion,
    NodeInvalidOwner,
    ScaleCachingControllerFetcher,
)
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher
from lockstep_reference.vpa.target.well_known import TargetError
from tests.machinery.discovery_documents import SERVED, answers, script
from tests.machinery.fake_server import World

_GROUPS = {"replicationcontrollers": "v1", "jobs": "batch/v1", "cronjobs": "batch/v1"}
_WIDGETS = "/apis/example.com/v2/namespaces/default/widgets/{}/scale"


def _owned_by(kind: str, name: str, api_version: str = "apps/v1", *, controller: bool = True) -> list[dict[str, Any]]:
    return [{"apiVersion": api_version, "kind": kind, "name": name, "uid": "1", "controller": controller}]


def _object(name: str, owners: list[dict[str, Any]] | None = None, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "default", "ownerReferences": owners or []}, "spec": spec}


def _key(kind: str, name: str = "web", api_version: str = "apps/v1") -> ControllerKeyWithApiVersion:
    return ControllerKeyWithApiVersion("default", kind, name, api_version)


def _widget(name: str, selector: str = "app=web", owners: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": name, "namespace": "default", "ownerReferences": owners or []},
        "status": {"selector": selector} if selector else {},
    }


class _Targets:
    """Caches that hold these objects, and a server that knows these widgets. Each question finds them as new."""

    def __init__(self, cached: dict[str, list[dict[str, Any]]], widgets: dict[str, Any] | None = None) -> None:
        self._cached = cached
        self._documents = {_WIDGETS.format(name): answer for name, answer in (widgets or {}).items()}
        self.asked: list[str] = []

    def _caches(self) -> tuple[World, SharedInformerFactory]:
        world = World()
        world.server.script = script({**answers(SERVED, aggregated=True), **self._documents})
        factory = SharedInformerFactory(world.client, clock=world.clock)
        for plural, objects in self._cached.items():
            for one in objects:
                factory.for_resource(plural, _GROUPS.get(plural, "apps/v1")).indexer.update(one)
        return world, factory

    def topmost(self, key: ControllerKeyWithApiVersion | None, times: int = 1) -> ControllerKeyWithApiVersion | None:
        world, factory = self._caches()
        fetcher = ScaleCachingControllerFetcher(world.client, factory, world.clock, random.Random(0), lambda _: None)

        async def ask() -> ControllerKeyWithApiVersion | None:
            found = None
            for _ in range(times):
                found = await fetcher.find_top_most_well_known_or_scalable(key)
            return found

        try:
            topmost: ControllerKeyWithApiVersion | None = world.run(ask())
            return topmost
        finally:
            self.asked = [path for _, _, path, *_ in world.server.requests]

    def selector(self, reference: dict[str, Any] | None) -> str:
        world, factory = self._caches()
        fetcher = VpaTargetSelectorFetcher(world.client, factory, world.clock, lambda _: None)
        spec = {} if reference is None else {"targetRef": reference}
        vpa = {"metadata": {"name": "vpa", "namespace": "default"}, "spec": spec}
        return str(world.run(fetcher.fetch(vpa)).text)


def _reference(kind: str, name: str = "web", api_version: str = "apps/v1") -> dict[str, Any]:
    return {"kind": kind, "name": name, "apiVersion": api_version}


def _refused(targets: _Targets, reference: dict[str, Any] | None) -> str:
    with pytest.raises(TargetError) as caught:
        targets.selector(reference)
    return str(caught.value)


def _lost(targets: _Targets, key: ControllerKeyWithApiVersion) -> str:
    with pytest.raises(TargetError) as caught:
        targets.topmost(key)
    return str(caught.value)


def test_topmost_of_nothing_is_nothing() -> None:
    assert _Targets({}).topmost(None) is None


def test_a_deployment_is_above_its_replica_set() -> None:
    cached = {"replicasets": [_object("web", _owned_by("Deployment", "web"))], "deployments": [_object("web")]}
    assert _Targets(cached).topmost(_key("ReplicaSet")) == _key("Deployment")


def test_an_owner_that_is_no_controller_does_not_count() -> None:
    cached = {"replicasets": [_object("web", _owned_by("Deployment", "web", controller=False))]}
    assert _Targets(cached).topmost(_key("ReplicaSet")) == _key("ReplicaSet")


def test_the_version_of_a_well_known_kind_does_not_matter() -> None:
    cached = {"deployments": [_object("web")]}
    key = _key("Deployment", api_version="made.up/v7")
    assert _Targets(cached).topmost(key) == key


def test_a_controller_that_is_gone_is_an_error() -> None:
    cached = {"replicasets": [_object("web", _owned_by("Deployment", "gone"))]}
    assert _lost(_Targets(cached), _key("ReplicaSet")) == "Deployment default/gone does not exist"


def test_owners_in_a_circle_are_an_error() -> None:
    cached = {
        "replicasets": [_object("web", _owned_by("Deployment", "web"))],
        "deployments": [_object("web", _owned_by("ReplicaSet", "web"))],
    }
    assert _lost(_Targets(cached), _key("ReplicaSet")) == "cycle detected in ownership chain"


def test_a_node_is_no_owner() -> None:
    with pytest.raises(NodeInvalidOwner) as caught:
        _Targets({}).topmost(_key("Node", "node-1", "v1"))
    assert str(caught.value) == "unhandled targetRef v1 / Node / node-1, last error node is not a valid owner"


def test_a_custom_resource_with_a_scale_counts() -> None:
    targets = _Targets(
        {"statefulsets": [_object("web", _owned_by("Widget", "w", "example.com/v2"))]}, {"w": _widget("w")}
    )
    assert targets.topmost(_key("StatefulSet")) == _key("Widget", "w", "example.com/v2")


def test_a_custom_resource_without_a_scale_is_passed_over() -> None:
    targets = _Targets({"statefulsets": [_object("web", _owned_by("Gadget", "g", "example.com/v1"))]})
    assert targets.topmost(_key("StatefulSet")) == _key("StatefulSet")


def test_scales_are_asked_for_once() -> None:
    targets = _Targets({}, {"w": _widget("w")})
    assert targets.topmost(_key("Widget", "w", "example.com/v2"), times=3) is not None
    assert [path for path in targets.asked if path.endswith("/scale")] == [_WIDGETS.format("w")]


@pytest.mark.parametrize(
    ("plural", "kind", "spec", "selector"),
    [
        ("deployments", "Deployment", {"selector": {"matchLabels": {"app": "web"}}}, "app=web"),
        ("daemonsets", "DaemonSet", {"selector": {"matchLabels": {"app": "web", "a": "b"}}}, "a=b,app=web"),
        ("replicationcontrollers", "ReplicationController", {"selector": {"app": "web"}}, "app=web"),
        ("jobs", "Job", {"selector": {"matchLabels": {"job": "1"}}}, "job=1"),
        (
            "cronjobs",
            "CronJob",
            {"jobTemplate": {"spec": {"template": {"metadata": {"labels": {"app": "nightly"}}}}}},
            "app=nightly",
        ),
    ],
)
def test_selectors_of_well_known_kinds(plural: str, kind: str, spec: dict[str, Any], selector: str) -> None:
    assert _Targets({plural: [_object("web", None, **spec)]}).selector(_reference(kind)) == selector


def test_selectors_of_scales() -> None:
    targets = _Targets({}, {"w": _widget("w", "tier in (a,b),app=web"), "empty": _widget("empty", "")})
    assert targets.selector(_reference("Widget", "w", "example.com/v2")) == "app=web,tier in (a,b)"
    assert _refused(targets, _reference("Widget", "empty", "example.com/v2")) == (
        "unhandled targetRef example.com/v2 / Widget / empty, last error "
        "resource default/empty has an empty selector for scale sub-resource"
    )


def test_targets_that_cannot_be() -> None:
    targets = _Targets({})
    assert _refused(targets, _reference("Deployment")) == "Deployment default/web does not exist"
    assert _refused(targets, _reference("Made", "web", "up/v1")) == (
        'unhandled targetRef up/v1 / Made / web, last error no matches for kind "Made" in group "up"'
    )
    assert _refused(targets, _reference("Made", "web", "a/b/c")) == "unexpected GroupVersion string: a/b/c"
    assert _refused(targets, None) == "targetRef not defined. If this is a v1beta1 object, switch to v1"


# -- the cache of scales -----------------------------------------------------------------------------------------------


class _Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> int:
        return round(self.seconds * SECOND)


_KEY = ScaleKey("default", "example.com", "widgets", "w")


def _storage(clock: _Clock, jitter: float = 1.0) -> ControllerCacheStorage:
    return ControllerCacheStorage(clock, random.Random(0), 10 * SECOND, 30 * SECOND, jitter)


def _scale(replicas: int) -> Scale:
    return Scale({}, replicas, replicas, "app=web")


def test_the_first_answer_stays_until_it_is_refreshed() -> None:
    storage = _storage(_Clock())
    assert storage.get(_KEY) is None
    storage.insert(_KEY, _scale(1))
    storage.insert(_KEY, _scale(2))
    assert storage.get(_KEY) == _scale(1)
    storage.refresh(_KEY, _scale(3))
    assert storage.get(_KEY) == _scale(3)


def test_refreshes_fall_due_after_one_to_two_periods() -> None:
    clock = _Clock()
    storage = _storage(clock)
    for number in range(200):
        storage.insert(_KEY._replace(name=str(number)), _scale(1))
    clock.seconds = 10
    assert storage.keys_to_refresh() == []
    clock.seconds = 15
    assert 60 < len(storage.keys_to_refresh()) < 140
    clock.seconds = 20.001
    assert len(storage.keys_to_refresh()) == 200


def test_an_unread_entry_is_dropped_even_if_it_is_refreshed() -> None:
    clock = _Clock()
    storage = _storage(clock)
    storage.insert(_KEY, _scale(1))
    storage.insert(_KEY._replace(name="read"), _scale(1))
    clock.seconds = 20
    storage.get(_KEY._replace(name="read"))
    storage.refresh(_KEY, _scale(2))
    clock.seconds = 30
    storage.remove_expired()
    assert storage.get(_KEY._replace(name="read")) is not None
    clock.seconds = 30.001
    storage.remove_expired()
    assert storage.get(_KEY) is None
    storage.refresh(_KEY, _scale(3))
    assert storage.get(_KEY) is None
