"""Samples, out-of-memory kills, policies and conditions in the model (pkg/recommender/model)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep.wire.selectors import NOTHING, Selector, selector_from
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.container import ContainerState, ContainerUsageSample
from lockstep_reference.vpa.recommender.model.errors import KeyError as UnknownKey
from lockstep_reference.vpa.recommender.model.errors import SampleDiscarded
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID, VpaID
from lockstep_reference.vpa.recommender.util.checkpoint import CheckpointError

SECOND = 10**9
HOUR = 3600 * SECOND
DAY = 24 * HOUR
GIB = 2**30
CONFIG = AggregationsConfig()
POD = PodID("ns", "web-0")
APP = ContainerID(POD, "app")
WEB = {"app": "web"}


class World:
    def __init__(self, **options: Any) -> None:
        self.now = 0
        self.cluster = ClusterState(lambda: self.now, HOUR, **options)

    def pod(self, name: str = "web-0", labels: dict[str, str] = WEB, phase: str = "Running") -> None:
        pod_id = PodID("ns", name)
        self.cluster.add_or_update_pod(pod_id, labels, phase)
        self.cluster.add_or_update_container(ContainerID(pod_id, "app"), {})

    def vpa(self, selector: Selector | None = None, status: Any = None, **spec: Any) -> Any:
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
        spec = {"targetRef": target, **spec}
        api_object = {"metadata": {"namespace": "ns", "name": "vpa"}, "spec": spec, "status": status or {}}
        self.cluster.add_or_update_vpa(api_object, selector or selector_from({"matchLabels": WEB}))
        return self.cluster.vpas[VpaID("ns", "vpa")]

    def use(self, cpu: int, container: ContainerID = APP) -> None:
        self.cluster.add_sample(container, ContainerUsageSample(self.now, cpu, "cpu"))

    def collect(self, *, exists: bool = False) -> int:
        class Fetcher:
            async def find_top_most_well_known_or_scalable(self, controller: Any) -> Any:
                return controller if exists else None

        collecting = self.cluster.rate_limited_garbage_collect_aggregate_collection_states(self.now, Fetcher())
        asyncio.run(collecting)
        return self.cluster.state_map_size()


def container() -> ContainerState:
    return ContainerState({}, AggregateContainerState(CONFIG))


def memory(amount: int, at: int) -> ContainerUsageSample:
    return ContainerUsageSample(at, amount, "memory")


def test_cpu_samples_must_be_newer_and_memory_samples_not_older() -> None:
    one = container()
    assert one.add_sample(ContainerUsageSample(5, 100, "cpu"))
    assert not one.add_sample(ContainerUsageSample(5, 100, "cpu"))
    assert not one.add_sample(ContainerUsageSample(6, -1, "cpu"))
    assert one.add_sample(memory(100, 5))
    assert one.add_sample(memory(100, 5))
    assert not one.add_sample(memory(100, 4))
    assert not one.add_sample(ContainerUsageSample(9, 1, "disk"))


def test_an_interval_counts_with_its_peak() -> None:
    one = container()
    for amount, at in ((10, 0), (30, HOUR), (20, 2 * HOUR)):
        one.add_sample(memory(amount, at))
    assert (one.get_max_memory_peak(), one.window_end) == (30, DAY)
    one.add_sample(memory(5, DAY))
    assert (one.get_max_memory_peak(), one.window_end) == (5, 2 * DAY)


def test_after_a_first_sample_of_nothing_no_peak_of_the_interval_counts() -> None:
    one = container()
    one.add_sample(memory(0, 0))
    one.add_sample(memory(GIB, HOUR))
    assert one.get_max_memory_peak() == 0


def test_a_kill_is_a_sample_of_more_memory() -> None:
    one = container()
    one.add_sample(memory(GIB, 0))
    one.record_oom(HOUR, 0)
    assert one.get_max_memory_peak() == int(GIB * 1.2)
    one.record_oom(HOUR, 0)  # from the usage again, not from what the first kill made of it
    assert one.get_max_memory_peak() == int(GIB * 1.2)
    one.record_oom(HOUR, 2 * GIB)
    assert one.get_max_memory_peak() == int(2 * GIB * 1.2)


def test_a_small_container_gets_at_least_the_least_bump() -> None:
    one = container()
    one.record_oom(0, 2**20)
    assert one.get_max_memory_peak() == 101 * 2**20


def test_a_kill_before_the_interval_does_not_count() -> None:
    one = container()
    one.add_sample(memory(GIB, DAY))
    with pytest.raises(SampleDiscarded, match="too old"):
        one.record_oom(DAY - 1, GIB)


def test_what_the_cluster_does_not_have_is_named() -> None:
    world = World()
    with pytest.raises(UnknownKey) as error:
        world.use(1)
    assert str(error.value) == "KeyError: {ns web-0}"
    world.pod()
    with pytest.raises(UnknownKey) as error:
        world.use(1, ContainerID(POD, "side"))
    assert str(error.value) == "KeyError: {{ns web-0} side}"
    with pytest.raises(UnknownKey) as error:
        world.cluster.record_oom(ContainerID(POD, "side"), 0, 1)
    assert str(error.value) == "KeyError: side"


def test_pods_are_counted_by_labels_in_any_phase() -> None:
    world = World()
    world.pod("web-0", phase="Failed")
    world.pod("web-1", labels={"app": "other"})
    vpa = world.vpa()
    assert vpa.pod_count == 1
    world.pod("web-1")
    assert vpa.pod_count == 2
    world.pod("web-0", labels={})
    world.cluster.delete_pod(PodID("ns", "web-1"))
    world.cluster.delete_pod(PodID("ns", "web-1"))
    assert vpa.pod_count == 0


def test_what_a_pod_used_stays_when_it_goes() -> None:
    world = World()
    world.pod()
    vpa = world.vpa()
    world.use(100)
    world.cluster.delete_pod(POD)
    assert vpa.aggregate_state_by_container_name()["app"].total_samples_count == 1


def test_another_selector_loses_the_history_of_checkpoints() -> None:
    world = World()
    vpa = world.vpa()
    vpa.containers_initial_aggregate_state["app"] = AggregateContainerState(CONFIG)
    assert world.vpa() is vpa
    other = world.vpa(selector_from({"matchLabels": {"app": "other"}}))
    assert not other.containers_initial_aggregate_state


def test_nothing_and_everything_are_the_same_selector_as_text() -> None:
    world = World()
    vpa = world.vpa(NOTHING)
    assert world.vpa(Selector()) is vpa


def test_aggregations_without_use_are_collected_once_an_hour() -> None:
    world = World()
    world.pod("web-0", phase="Succeeded")
    world.vpa()
    assert world.collect(exists=True) == 1
    assert world.collect() == 1  # too early
    world.now = HOUR
    assert world.collect() == 0


def test_an_aggregation_expires_after_all_intervals() -> None:
    world = World()
    world.pod()
    world.use(100)
    world.now = 8 * DAY - 1
    assert world.collect() == 1
    world.now = 8 * DAY + HOUR
    assert world.collect() == 0
    world.use(100)  # the container makes a new one
    assert world.cluster.state_map_size() == 1


def test_policies_override_kills_and_intervals_only_behind_the_gate() -> None:
    policy = {
        "containerName": "*",
        "oomBumpUpRatio": "1500m",
        "oomMinBumpUp": 7,
        "memoryAggregationIntervalSeconds": 60,
    }
    policy["memoryAggregationIntervalCount"] = 3
    for gate, expected in ((False, (1.2, 104857600.0, DAY, 8)), (True, (1.5, 7.0, 60 * SECOND, 3))):
        world = World(per_vpa_config=gate)
        world.pod()
        vpa = world.vpa(resourcePolicy={"containerPolicies": [policy]})
        world.vpa(resourcePolicy={"containerPolicies": [{"containerName": "app"}]})  # which says nothing of it
        (state,) = vpa.aggregate_container_states.values()
        assert expected == (
            state.oom_bump_up_ratio,
            state.oom_min_bump_up,
            state.memory_aggregation_interval_duration,
            state.memory_aggregation_interval_count,
        )


def test_conditions_keep_their_time_until_their_status_changes() -> None:
    world = World()
    vpa = world.vpa(status={"conditions": [{"type": "RecommendationProvided", "status": "False"}]})
    world.now = 5 * SECOND
    vpa.update_conditions(pods_matched=False)
    assert vpa.as_status() == {
        "conditions": [
            {
                "type": "NoPodsMatched",
                "status": "True",
                "lastTransitionTime": "2000-01-01T00:00:05Z",
                "reason": "NoPodsMatched",
                "message": "No pods match this VPA object",
            },
            {
                "type": "RecommendationProvided",
                "status": "False",
                "lastTransitionTime": None,
                "reason": "NoPodsMatched",
                "message": "No pods match this VPA object",
            },
        ],
        "observedGeneration": 0,
    }
    vpa.update_conditions(pods_matched=True)
    assert [one["type"] for one in vpa.as_status()["conditions"]] == ["RecommendationProvided"]


def test_a_recommendation_is_taken_over_only_if_the_condition_says_so() -> None:
    recommendation = {"containerRecommendations": [{"containerName": "app", "target": {"cpu": "25m"}}]}
    for status, expected in (("True", True), ("False", False)):
        conditions = [{"type": "RecommendationProvided", "status": status}]
        vpa = World().vpa(status={"conditions": conditions, "recommendation": recommendation})
        assert vpa.has_recommendation() is expected
        assert ("recommendation" in vpa.as_status()) is expected


def test_a_missing_recommendation_is_reported_every_half_an_hour() -> None:
    world = World()
    vpa = world.vpa()
    reported = []
    for minute in range(0, 70, 10):
        try:
            world.cluster.record_recommendation(vpa, minute * 60 * SECOND)
        except LookupError as error:
            reported.append((minute, str(error)))
    assert reported == [(40, "VPA ns/vpa is missing recommendation for more than 30m0s")]


def test_a_checkpoint_of_another_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="unsupported checkpoint version v2"):
        AggregateContainerState(CONFIG).load_from_checkpoint({"version": "v2"})
