"""The whole model: pods, containers, VPAs and their usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.implementations.oracle.values import time
from lockstep.wire.gotime import SECOND
from lockstep.wire.selector_parser import parse
from lockstep.wire.selectors import NOTHING
from lockstep_reference.vpa.recommender.logic.recommender import (
    PodResourceRecommender,
    RecommendationConfig,
    RecommendationFormat,
    map_to_list_of_recommended_container_resources,
)
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.container import ContainerUsageSample
from lockstep_reference.vpa.recommender.model.errors import KeyError as UnknownKey
from lockstep_reference.vpa.recommender.model.errors import SampleDiscarded
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID, VpaID
from lockstep_reference.vpa.recommender.model.vpa import Vpa
from lockstep_reference.vpa.recommender.routines.vpa import get_container_name_to_aggregate_state_map
from lockstep_reference.vpa.target.controller_fetcher import ControllerKeyWithApiVersion

_CONFIG = AggregationsConfig()
_FORMAT = RecommendationFormat()
_RECOMMENDER = PodResourceRecommender(RecommendationConfig())


def answer(question: Any) -> Any:
    """The result of each step, and the number of aggregations at the end."""
    run = _Run(per_vpa_config=question["perVPAConfig"])
    for step in question["steps"]:
        run.take(step)
    return [*run.results, run.state.state_map_size()]


class _Run:
    """One history in progress; its clock begins with the year 2000."""

    def __init__(self, *, per_vpa_config: bool) -> None:
        self.now = 0
        self.results: list[Any] = []
        self.state = ClusterState(lambda: self.now, 3600 * SECOND, _CONFIG, per_vpa_config=per_vpa_config)
        self._per_vpa_config = per_vpa_config

    def take(self, step: Any) -> None:
        """Carry out one step."""
        what = step["do"]
        if what == "sleep":
            self.now += step["duration"]
        elif what == "collect":
            _finish(
                self.state.rate_limited_garbage_collect_aggregate_collection_states(self.now, _Fetcher(step["exists"]))
            )
            self.results.append(self.state.state_map_size())
        elif what in _FOR_VPA:
            vpa = self.state.vpas.get(VpaID("ns", step["name"]))
            if vpa is not None:
                _FOR_VPA[what](self, vpa)
        elif what == "pod":
            self.state.add_or_update_pod(PodID("ns", step["pod"]), step["labels"], step["phase"])
        elif what == "delete-pod":
            self.state.delete_pod(PodID("ns", step["pod"]))
        else:
            self.results.append(self._result_of(what, step))

    def _result_of(self, what: str, step: Any) -> str:
        try:
            _STEPS[what](self.state, step)
        except UnknownKey as error:
            return str(error)
        except SampleDiscarded:
            return "discarded"
        return ""

    def recommend(self, vpa: Vpa) -> None:
        """What the recommender does for one VPA in each loop, except for post-processors and writing."""
        states = get_container_name_to_aggregate_state_map(vpa, per_vpa_config=self._per_vpa_config)
        estimates = _RECOMMENDER.get_recommended_pod_resources(states)
        vpa.update_recommendation(map_to_list_of_recommended_container_resources(estimates, _FORMAT))
        vpa.update_conditions(pods_matched=vpa.pod_count > 0)
        missing = False
        try:
            self.state.record_recommendation(vpa, self.now)
        except LookupError:
            missing = True
        self.results += [vpa.as_status(), vpa.pod_count, missing]

    def restart(self, vpa: Vpa) -> None:
        """Save checkpoints as JSON and load them into a new model."""
        saved, loaded = {}, {}
        for name, state in vpa.aggregate_state_by_container_name().items():
            saved[name] = state.save_to_checkpoint(self.now)
            loaded[name] = AggregateContainerState(_CONFIG)
            loaded[name].load_from_checkpoint(saved[name])
        vpa.containers_initial_aggregate_state = loaded
        self.results.append(saved)


def _container(step: Any) -> ContainerID:
    return ContainerID(PodID("ns", step["pod"]), step["container"])


def _sample(state: ClusterState, step: Any) -> None:
    state.add_sample(_container(step), ContainerUsageSample(time(step["t"]), step["a"], step["resource"]))


def _vpa(state: ClusterState, step: Any) -> None:
    selector = step["selector"]
    state.add_or_update_vpa(step["vpa"], NOTHING if selector is None else parse(selector))


_STEPS: Mapping[str, Callable[[ClusterState, Any], None]] = {
    "container": lambda state, step: state.add_or_update_container(_container(step), {}),
    "sample": _sample,
    "oom": lambda state, step: state.record_oom(_container(step), time(step["t"]), step["a"]),
    "vpa": _vpa,
    "delete-vpa": lambda state, step: state.delete_vpa(VpaID("ns", step["name"])),
}
_FOR_VPA: Mapping[str, Callable[[_Run, Vpa], None]] = {"recommend": _Run.recommend, "restart": _Run.restart}


def _finish(awaitable: Any) -> None:
    """Run a coroutine that never waits."""
    try:
        awaitable.send(None)
    except StopIteration:
        return
    raise RuntimeError("a collection waits for something")


class _Fetcher:
    """Finds every controller, or none."""

    def __init__(self, exists: bool) -> None:
        self._exists = exists

    async def find_top_most_well_known_or_scalable(
        self, controller: ControllerKeyWithApiVersion | None
    ) -> ControllerKeyWithApiVersion | None:
        return controller if self._exists else None
