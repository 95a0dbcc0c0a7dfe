"""How many pods of a group may be disturbed. After pkg/updater/restriction/*_test.go."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any

import pytest

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.transport import Response
from lockstep_reference.vpa.apis import recommendation_of
from lockstep_reference.vpa.updater.inplace.calculator import POD, RESIZE
from lockstep_reference.vpa.updater.restriction.group_stats import CreatorMaps, SingleGroupStats
from lockstep_reference.vpa.updater.restriction.pods_eviction_restriction import EvictionError
from lockstep_reference.vpa.updater.restriction.pods_inplace_restriction import (
    InPlaceDecision,
    InPlaceRules,
    InPlaceUpdateError,
)
from lockstep_reference.vpa.updater.restriction.pods_restriction_factory import PodsRestrictionFactory
from lockstep_reference.vpa.updater.restriction.resize_status import (
    ResizeStatus,
    get_resize_status,
    is_non_disruptive_resize,
)
from lockstep_reference.vpa.utils.panic import Panic
from tests.machinery.fake_server import status
from tests.reference_hpa.kit import FakeClock
from tests.reference_vpa.vpa_kit import container, owned, pod, recommended, vpa

Wire = dict[str, Any]
_KINDS = {"ReplicaSet": ("replicasets", "apps/v1"), "DaemonSet": ("daemonsets", "apps/v1")}


class _Server:
    """Answers at once: refuses what has the path `refused`, and lets all else be."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.refused = ""

    async def request(self, method: str, path: str, query: Any = None, body: Any = None, *_: Any) -> Response:
        self.requests.append((method, path, body))
        return status(409, "Conflict") if path == self.refused else Response(200, {})

    async def watch(self, path: str, query: Any) -> Response:
        raise AssertionError("nothing is watched")


def _at_once(work: Coroutine[Any, Any, None]) -> None:
    with suppress(StopIteration):
        work.send(None)
        raise AssertionError("something waited")


class _Recorder:
    def __init__(self) -> None:
        self.reasons: list[str] = []

    def event(self, obj: Wire, event_type: str, reason: str, message: str) -> None:
        assert (event_type, bool(message)) == ("Normal", True)
        self.reasons.append(reason)


class _Patching:
    def __init__(self, target: str, *patches: Wire) -> None:
        self.target = target
        self._patches = list(patches)

    def calculate_patches(self, pod: Wire, vpa: Wire) -> list[Wire]:
        return self._patches


class _Group:
    """A ReplicaSet of so many replicas with these pods, and all that may be asked about it."""

    def __init__(
        self,
        pods: Sequence[Wire],
        *,
        replicas: int | None = None,
        vpa: Wire,
        rules: InPlaceRules | None = None,
        tolerance: float = 0.5,
        min_replicas: int = 2,
        patches: Sequence[_Patching] = (_Patching(RESIZE, {"op": "add"}),),
        kind: str = "ReplicaSet",
    ) -> None:
        self.server, self.clock, self.recorder = _Server(), FakeClock(), _Recorder()
        client = Client(self.server)
        informers = SharedInformerFactory(client, clock=self.clock)
        count = len(pods) if replicas is None else replicas
        made = {"metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": count}}
        if kind == "DaemonSet":
            made = {**made, "status": {"desiredNumberScheduled": count}}
        if kind in _KINDS:
            informers.for_resource(*_KINDS[kind]).indexer.replace([made], "1")
        self.said: list[str] = []
        self.factory = PodsRestrictionFactory(
            client,
            informers,
            self.clock,
            rules or InPlaceRules(),
            patches,
            min_replicas=min_replicas,
            eviction_tolerance_fraction=tolerance,
            on_error=self.said.append,
        )
        self.vpa, self.pods = vpa, list(pods)
        self.look_again()

    def look_again(self) -> None:
        self.maps: CreatorMaps = self.factory.get_creator_maps(self.pods, self.vpa)
        self.eviction = self.factory.new_pods_eviction_restriction(self.maps)
        self.in_place = self.factory.new_pods_in_place_restriction(self.maps)

    def evictable(self) -> list[bool]:
        return [self.eviction.can_evict(each) for each in self.pods]

    def decide(self, infeasible: Wire | None = None) -> list[InPlaceDecision]:
        recommendation = recommendation_of(self.vpa)
        tried = {} if infeasible is None else {"uid-web-0": recommendation_of(vpa(infeasible)) or []}
        return [self.in_place.can_in_place_update(each, self.vpa, recommendation, tried) for each in self.pods]

    def evict(self, index: int) -> str:
        try:
            _at_once(self.eviction.evict(self.pods[index], self.vpa, self.recorder))  # type: ignore[arg-type]
        except EvictionError as error:
            return str(error)
        return ""

    def resize(self, index: int) -> str:
        try:
            _at_once(self.in_place.in_place_update(self.pods[index], self.vpa, self.recorder))  # type: ignore[arg-type]
        except InPlaceUpdateError as error:
            return str(error)
        return ""


def _pods(count: int, kind: str = "ReplicaSet", **fields: Any) -> list[Wire]:
    return [
        pod(container(), name=f"web-{index}", **{"metadata": {"ownerReferences": owned(kind, "web")}, **fields})
        for index in range(count)
    ]


def _resizing(kind: str = "PodResizePending", reason: str = "Deferred", message: str = "", on: str = "True") -> Wire:
    return {"conditions": [{"type": kind, "status": on, "reason": reason, "message": message}]}


_VPA = vpa(recommended(target={"cpu": "1"}), mode="Recreate")
_FALLING_BACK = vpa(recommended(target={"cpu": "1"}), mode="InPlaceOrRecreate")
_IN_PLACE = vpa(recommended(target={"cpu": "1"}), mode="InPlace")
_GATE = InPlaceRules(in_place=True)


@pytest.mark.parametrize(
    ("configured", "running", "tolerance", "disturbed", "wanted"),
    [
        (3, 3, 1, 0, True),
        (3, 3, 1, 1, False),
        (4, 4, 2, 1, True),
        (4, 4, 2, 2, False),
        (4, 3, 2, 0, True),
        (4, 2, 2, 0, False),
        (2, 2, 0, 0, True),  # nothing is tolerated, but all of them run
        (2, 2, 0, 1, False),
        (2, 1, 0, 0, False),
        (0, 3, 0, 2, True),  # it is unknown how many there should be
        (0, 3, 0, 3, False),
    ],
)
def test_disruptable(configured: int, running: int, tolerance: int, disturbed: int, wanted: bool) -> None:
    for evicted in (0, disturbed):
        stats = SingleGroupStats(configured, 0, running, tolerance, False, evicted, disturbed - evicted)
        assert stats.is_pod_disruptable() is wanted


def test_groups() -> None:
    assert _Group(_pods(4), vpa=_VPA).evictable() == [True] * 4
    assert _Group(_pods(1), vpa=_VPA).evictable() == [False]
    assert _Group(_pods(1), vpa=_VPA, min_replicas=1).evictable() == [True]
    patient = vpa(mode="Recreate", updatePolicy={"minReplicas": 3})
    assert _Group(_pods(2), vpa=patient).evictable() == [False] * 2
    unknown = _Group(_pods(4), vpa=_VPA, kind="None")
    assert (unknown.evictable(), unknown.said) == (
        [False] * 4,
        ["Failed to obtain replication info: replica set default/web does not exist"],
    )
    empty = _Group(_pods(4), vpa=_VPA, replicas=0)
    assert empty.said == ["Failed to obtain replication info: replica set default/web has no replicas config"]


def test_other_kinds() -> None:
    assert _Group(_pods(4, "DaemonSet"), vpa=_VPA, kind="DaemonSet").maps.stats_of(_pods(1)[0]) is not None
    idle = _Group(_pods(2, "DaemonSet"), vpa=_VPA, kind="DaemonSet", replicas=0)
    assert idle.said == ["Failed to obtain replication info: daemon set default/web has no desired scheduled pods"]
    [job] = _Group(_pods(3, "Job"), vpa=_VPA).maps.stats.values()
    assert (job.configured, job.eviction_tolerance) == (3, 1)
    [game] = _Group(_pods(3, "Game"), vpa=_VPA).maps.stats.values()
    assert (game.configured, game.eviction_tolerance) == (0, 0)


def test_an_owner_that_does_not_say_what_it_is() -> None:
    silent = {"kind": "Other", "name": "other", "apiVersion": "v1", "uid": "1"}
    hidden = _pods(2, metadata={"ownerReferences": [silent, *owned("ReplicaSet", "web")]})
    with pytest.raises(Panic, match="nil pointer dereference"):
        _Group(hidden, vpa=_VPA)
    seen = _pods(2, metadata={"ownerReferences": [*owned("ReplicaSet", "web"), silent]})
    assert _Group(seen, vpa=_VPA).evictable() == [True] * 2


def test_evictions_use_up_the_tolerance() -> None:
    group = _Group(_pods(4), vpa=_VPA)
    assert [group.evict(index) for index in range(3)] == [
        "",
        "",
        "cannot evict pod default/web-2: eviction budget exceeded",
    ]
    assert group.recorder.reasons == ["EvictedByVPA", "EvictedPod"] * 2
    [(method, path, body), _] = group.server.requests
    assert (method, path) == ("POST", "/api/v1/namespaces/default/pods/web-0/eviction")
    named = {"name": "web-0", "namespace": "default"}
    assert body == {"kind": "Eviction", "apiVersion": "policy/v1", "metadata": named}
    stranger = pod(container(), name="stranger")
    with pytest.raises(EvictionError, match="not in replicated pods map"):
        _at_once(group.eviction.evict(stranger, _VPA, group.recorder))  # type: ignore[arg-type]


def test_pending_pods_go_without_being_counted() -> None:
    group = _Group([*_pods(3), *_pods(4, status={"phase": "Pending"})[3:]], vpa=_VPA)
    assert [group.evict(index) for index in (3, 0)] == ["", ""]
    assert group.evictable() == [False, False, False, True]


@pytest.mark.parametrize(
    ("status", "at", "wanted"),
    [
        (_resizing("PodResizePending", "Deferred"), 300, False),
        (_resizing("PodResizePending", "Deferred"), 301, True),
        (_resizing("PodResizePending", "Infeasible"), 0, True),
        (_resizing("PodResizePending", "Whatever"), 0, True),
        (_resizing("PodResizeInProgress", ""), 3600, False),
        (_resizing("PodResizeInProgress", ""), 3601, True),
        (_resizing("PodResizeInProgress", "Error"), 0, True),
        (_resizing("PodResizeInProgress", "", "odd"), 0, True),
    ],
)
def test_resizes_that_fail_or_take_too_long(status: Wire, at: float, wanted: bool) -> None:
    group = _Group(_pods(4, status=status), vpa=_FALLING_BACK)
    group.evictable()  # from now on its resize is known
    group.clock.seconds = at
    assert group.evictable() == [wanted] * 4
    wanted_decision = InPlaceDecision.EVICT if wanted else InPlaceDecision.DEFERRED
    assert group.decide() == [wanted_decision] * 4


def test_the_time_when_a_resize_was_first_seen_is_kept() -> None:
    group = _Group(_pods(4, status=_resizing()), vpa=_FALLING_BACK)
    group.decide()
    group.pods = _pods(4)
    group.clock.seconds = 1000
    group.look_again()
    assert group.decide() == [InPlaceDecision.APPROVED] * 4
    group.pods = _pods(4, status=_resizing())
    group.look_again()
    assert group.decide() == [InPlaceDecision.EVICT] * 4


@pytest.mark.parametrize(
    ("status", "rules", "wanted"),
    [
        ({}, InPlaceRules(), InPlaceDecision.DEFERRED),  # no gate
        ({}, _GATE, InPlaceDecision.APPROVED),
        ({"phase": "Pending"}, _GATE, InPlaceDecision.DEFERRED),
        (_resizing(reason="Infeasible"), _GATE, InPlaceDecision.INFEASIBLE),
        (_resizing(reason="Deferred"), _GATE, InPlaceDecision.DEFERRED),
        (_resizing("PodResizeInProgress", "Error"), _GATE, InPlaceDecision.DEFERRED),
        (_resizing(on="False"), _GATE, InPlaceDecision.APPROVED),
    ],
)
def test_decisions_in_the_mode_in_place(status: Wire, rules: InPlaceRules, wanted: InPlaceDecision) -> None:
    assert _Group(_pods(4, status=status), vpa=_IN_PLACE, rules=rules).decide() == [wanted] * 4


def test_decisions_without_a_recommendation_or_a_group() -> None:
    assert _Group(_pods(4), vpa=vpa(mode="InPlaceOrRecreate")).decide() == [InPlaceDecision.DEFERRED] * 4
    assert _Group(_pods(1), vpa=_FALLING_BACK).decide() == [InPlaceDecision.DEFERRED]
    assert _Group(_pods(2), vpa=_FALLING_BACK, replicas=4, tolerance=0.5).decide() == [InPlaceDecision.DEFERRED] * 2


@pytest.mark.parametrize(
    ("tried", "wanted"),
    [
        ({"cpu": "1"}, InPlaceDecision.INFEASIBLE_CACHED),
        ({"cpu": "2"}, InPlaceDecision.APPROVED),
        ({"memory": "1"}, InPlaceDecision.INFEASIBLE_CACHED),
    ],
)
def test_what_was_infeasible_is_tried_again_if_something_shrinks(tried: Wire, wanted: InPlaceDecision) -> None:
    group = _Group(_pods(2), vpa=_IN_PLACE, rules=_GATE)
    assert group.decide(recommended(target=tried)) == [wanted, InPlaceDecision.APPROVED]
    falling_back = _Group(_pods(2), vpa=_FALLING_BACK)
    assert falling_back.decide(recommended(target=tried)) == [InPlaceDecision.APPROVED] * 2


def test_skipping_the_budget() -> None:
    rules = InPlaceRules(skip_disruption_budget=True)
    alone = _Group(_pods(1), vpa=_FALLING_BACK, rules=rules)
    assert (alone.decide(), alone.evictable()) == ([InPlaceDecision.APPROVED], [False])
    assert _Group(_pods(1), vpa=_VPA, rules=rules).maps.stats == {}
    policy = {"resourceName": "cpu", "restartPolicy": "RestartContainer"}
    restarting = _pods(2)
    for each in restarting:
        each["spec"]["containers"] = [{"name": "app", "resizePolicy": [policy]}]
    assert not is_non_disruptive_resize(restarting[0])
    strict = _Group(restarting, vpa=_FALLING_BACK, rules=rules, replicas=4)
    assert strict.decide() == [InPlaceDecision.DEFERRED] * 2


def test_a_resize_is_two_patches_and_an_event() -> None:
    mark = _Patching(POD, {"op": "add", "path": "/metadata/annotations/x", "value": "y"})
    group = _Group(_pods(4), vpa=_FALLING_BACK, patches=(_Patching(RESIZE, {"op": "add", "path": "/spec"}), mark))
    group.server.refused = "/api/v1/namespaces/default/pods/web-0"
    assert group.resize(0) == ""
    sent = [(path.rpartition("pods/")[2], body) for _, path, body in group.server.requests]
    empty = {"op": "add", "path": "/metadata/annotations", "value": {}}
    wanted = [
        ("web-0/resize", [{"op": "add", "path": "/spec"}]),
        ("web-0", [empty, {"op": "add", "path": "/metadata/annotations/x", "value": "y"}]),
    ]
    assert sent == wanted
    assert group.recorder.reasons == ["InPlaceResizedByVPA"]
    [stats] = group.maps.stats.values()
    assert stats.in_place_update_initiated == 1


def test_nothing_to_resize() -> None:
    group = _Group(_pods(4), vpa=_FALLING_BACK, patches=(_Patching(POD, {"op": "add"}),))
    assert group.resize(0) == "no resource patches were calculated to apply"
    small = _Group(_pods(1), vpa=_FALLING_BACK)
    assert small.resize(0) == "pod not suitable for in-place update web-0: not in replicated pods map"
    assert group.server.requests == []


@pytest.mark.parametrize(
    ("boosted", "rules", "wanted"),
    [(True, InPlaceRules(cpu_startup_boost=True), True), (True, InPlaceRules(), False), (False, _GATE, False)],
)
def test_boosts_may_end(boosted: bool, rules: InPlaceRules, wanted: bool) -> None:
    ready = {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2000-01-01T00:00:00Z"}]}
    pods = _pods(1, status=ready)
    pods[0]["metadata"]["annotations"] = {"vpaCpuStartupBoost/app": "{}"} if boosted else {}
    group = _Group(pods, vpa=_VPA, rules=rules)
    assert group.in_place.can_unboost(pods[0], _VPA) is wanted


def test_resize_statuses() -> None:
    assert get_resize_status(pod(container())) is ResizeStatus.NONE
    assert get_resize_status(pod(container(), status=_resizing(on="False"))) is ResizeStatus.NONE
    both = _resizing("PodResizeInProgress", "")["conditions"] + _resizing(reason="Deferred")["conditions"]
    assert get_resize_status(pod(container(), status={"conditions": both})) is ResizeStatus.DEFERRED
