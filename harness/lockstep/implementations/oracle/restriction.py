"""Restrictions: how many pods of a group may be evicted or resized."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, cast

from lockstep.implementations.oracle.values import StoppedClock
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.errors import ApiError, is_forbidden
from lockstep_reference.machinery.events import Recorder
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.transport import Response, WatchStream
from lockstep_reference.vpa.apis import Object, recommendation_from_wire, recommendation_of
from lockstep_reference.vpa.updater.inplace.calculator import RESIZE
from lockstep_reference.vpa.updater.restriction.pods_eviction_restriction import (
    EvictionError,
    PodsEvictionRestriction,
)
from lockstep_reference.vpa.updater.restriction.pods_inplace_restriction import (
    InPlaceDecision,
    InPlaceRules,
    InPlaceUpdateError,
    PodsInPlaceRestriction,
)
from lockstep_reference.vpa.updater.restriction.pods_restriction_factory import PodsRestrictionFactory
from lockstep_reference.vpa.utils.patches import PatchRecord, initialize_resources

_LISTS = {
    "replicaSets": ("replicasets", "apps/v1"),
    "statefulSets": ("statefulsets", "apps/v1"),
    "daemonSets": ("daemonsets", "apps/v1"),
    "replicationControllers": ("replicationcontrollers", "v1"),
}


def answer(question: Any) -> Any:
    """For each pod: whether it may be evicted, what may be done in place, and the result of the act."""
    client, vpa = Client(_Refusing(question["refused"])), question["vpa"]
    factory = PodsRestrictionFactory(
        client,
        _informers(client, question),
        StoppedClock(0),
        InPlaceRules(question["inPlace"], cpu_startup_boost=False, skip_disruption_budget=question["skipBudget"]),
        [_OneChange()],
        min_replicas=question["minReplicas"],
        eviction_tolerance_fraction=question["tolerance"],
        on_error=lambda _: None,
    )
    maps = factory.get_creator_maps(question["pods"], vpa)
    eviction, in_place = factory.new_pods_eviction_restriction(maps), factory.new_pods_in_place_restriction(maps)
    infeasible = {uid: recommendation_from_wire(tried) or [] for uid, tried in question["infeasible"].items()}
    recommendation = recommendation_of(vpa)
    answers = []
    for pod, act in zip(question["pods"], question["acts"], strict=True):
        evictable = eviction.can_evict(pod)
        decision = in_place.can_in_place_update(pod, vpa, recommendation, infeasible)
        allowed = decision.name.title().replace("_", "")
        answers.append([evictable, allowed, _act(act, pod, vpa, decision, eviction, in_place)])
    return answers


def _informers(client: Client, question: Any) -> SharedInformerFactory:
    factory = SharedInformerFactory(client, clock=StoppedClock(0))
    for name, kind in _LISTS.items():
        factory.for_resource(*kind).indexer.replace(question[name], "1")
    return factory


def _act(
    act: str,
    pod: Object,
    vpa: Object,
    decision: InPlaceDecision,
    eviction: PodsEvictionRestriction,
    in_place: PodsInPlaceRestriction,
) -> str:
    try:
        if act == "evict":
            _at_once(eviction.evict(pod, vpa, _SILENT))
        elif act == "resize" and decision is InPlaceDecision.APPROVED:
            _at_once(in_place.in_place_update(pod, vpa, _SILENT))
    except ApiError as error:
        return "refused" if is_forbidden(error) else str(error)
    except (EvictionError, InPlaceUpdateError) as error:
        return str(error)
    return ""


def _at_once(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration:
        return
    raise AssertionError("something waited, though every request is answered at once")


class _OneChange:
    """Resizes every pod."""

    target = RESIZE

    def calculate_patches(self, _pod: Object, _vpa: Object) -> list[PatchRecord]:
        return [initialize_resources(0)]


class _Silent:
    """Records no events."""

    def event(self, *_what: object) -> None:
        pass


_SILENT = cast("Recorder", _Silent())


class _Refusing:
    """Answers every request, and refuses those about the pods that it names."""

    def __init__(self, refused: Mapping[str, bool]) -> None:
        self._refused = refused

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        name = path.split("/")[6]  # /api/v1/namespaces/NAMESPACE/pods/NAME[/SUBRESOURCE]
        return Response(403 if self._refused.get(name) else 201, {"kind": "Pod"})

    async def watch(self, path: str, query: Mapping[str, str]) -> WatchStream | Response:
        raise AssertionError("nothing is watched here")
