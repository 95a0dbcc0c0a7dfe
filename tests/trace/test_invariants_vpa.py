"""Each invariant of the VPA, broken by a history that a controller with one mistake would leave behind."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from lockstep.controllers.options import Options, RecommenderOptions, UpdaterOptions, VpaOptions
from lockstep.objects.definitions import VPAS
from lockstep.time.clock import rfc3339, seconds
from lockstep.trace.invariants.base import CONDITIONS
from lockstep.trace.invariants.checking import check
from lockstep.trace.invariants.vpa import VPA_INVARIANTS
from lockstep.trace.vertical import LEASES

RECOMMENDER, UPDATER, ADMISSION = "vpa-recommender", "vpa-updater", "vpa-admission"
TARGET = objects.recommended(target={"cpu": "200m"}, lower={"cpu": "100m"}, upper={"cpu": "1"})


class Scaled:
    """A ReplicaSet `web` with its pods, a VPA, and a lease."""

    def __init__(self, story: Any, replicas: int = 4, mode: str = "Recreate", **flags: Any) -> None:
        self.story = story
        story.history.controllers = frozenset({RECOMMENDER, UPDATER, ADMISSION})
        story.history.options = Options(vpa=VpaOptions(updater=UpdaterOptions(**flags)))
        story.replica_set("web", replicas)
        self.pods = [story.create_pod() for _ in range(replicas)]
        for pod in self.pods:
            story.run_pod(pod)
        self.vpa = objects.vpa(mode=mode)
        self.vpa["metadata"]["uid"] = story.uid()
        story.store("scenario", "create", VPAS, self.vpa)
        self.renew(0)

    def renew(self, at: float) -> None:
        self.story.at(at)
        metadata = {"name": "vpa-admission-controller", "namespace": "kube-system"}
        lease = {"metadata": metadata, "spec": {"renewTime": rfc3339(seconds(at))}}
        self.story.store(ADMISSION, "update", LEASES, lease, namespace="kube-system")

    def edit(self, **spec: Any) -> None:
        self.story.change(VPAS, "web", spec=spec)

    def recommend(self, recommendation: Any = TARGET) -> None:
        status = objects.vpa_status(recommendation)
        self.story.change(VPAS, "web", RECOMMENDER, "status", status=status)

    def admit(self, **resources: Any) -> str:
        """A new pod that the admission controller has changed."""
        body = self.story.pod_body("web")
        body["metadata"]["annotations"] = {"vpaUpdates": "Pod resources updated by web: container 0: cpu request"}
        body["spec"]["containers"][0]["resources"] = resources
        name: str = self.story.create_pod("web", body)
        self.story.run_pod(name)
        return name

    def evict(self, pod: str) -> None:
        before = self.story.get("pods", pod)
        after = {**before, "metadata": {**before["metadata"], "deletionTimestamp": rfc3339(seconds(self.story.now))}}
        self.story.objects["pods", pod] = after
        self.story.write(UPDATER, "create", "pods", pod, subresource="eviction", before=before, after=after, code=201)


def broken(story: Any, *excused: str) -> list[str]:
    return [one.invariant for one in check(story.history, seconds(10_000), False, excused)]


def test_every_invariant_says_its_rule_and_its_source() -> None:
    assert len({one.name for one in VPA_INVARIANTS}) == len(VPA_INVARIANTS)
    for one in VPA_INVARIANTS:
        assert " MUST " in one.must
        assert one.source.startswith("pkg/")
        assert set(one.needs) <= set(CONDITIONS)


def test_a_good_run_breaks_nothing(story: Any) -> None:
    web = Scaled(story)
    web.story.at(30)
    web.recommend()
    web.evict(web.pods[0])
    web.evict(web.pods[1])
    assert broken(story) == []


def test_parts_keep_to_their_work(story: Any) -> None:
    Scaled(story)
    story.change("replicasets.apps", "web", RECOMMENDER, spec={"replicas": 9})
    story.change("replicasets.apps", "web", UPDATER, spec={"replicas": 9})
    assert broken(story, *CONDITIONS) == ["vpa-recommender-knows-its-place", "vpa-updater-knows-its-place"]


# -- the recommender ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounds", [{"lower": {"cpu": "201m"}}, {"upper": {"cpu": "0.1"}}])
def test_bounds_that_do_not_bound(story: Any, bounds: dict[str, Any]) -> None:
    Scaled(story).recommend(objects.recommended(target={"cpu": "200m"}, **bounds))
    assert broken(story) == ["vpa-ordered-bounds"]


def test_percentiles_may_be_in_another_order(story: Any) -> None:
    Scaled(story).recommend(objects.recommended(target={"cpu": "200m"}, upper={"cpu": "100m"}))
    flags = RecommenderOptions(recommendation_upper_bound_cpu_percentile=0.1)
    story.history.options = Options(vpa=VpaOptions(recommender=flags))
    assert broken(story) == []


@pytest.mark.parametrize("policy", [{"min_allowed": {"cpu": "150m"}}, {"max_allowed": {"cpu": "500m"}}])
def test_it_recommends_what_is_not_allowed(story: Any, policy: dict[str, Any]) -> None:
    web = Scaled(story)
    web.edit(resourcePolicy={"containerPolicies": [objects.container_policy(**policy)]})
    web.recommend()
    assert broken(story) == ["vpa-within-allowed"]
    assert broken(story, "fresh-caches") == []


def test_the_policy_of_the_container_counts(story: Any) -> None:
    web = Scaled(story)
    policies = [objects.container_policy(max_allowed={"cpu": "1m"}), objects.container_policy("main")]
    web.edit(resourcePolicy={"containerPolicies": policies})
    web.recommend()
    assert broken(story) == []


# -- the updater -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["Off", "Initial", "InPlace"])
def test_it_evicts_where_nobody_asked(story: Any, mode: str) -> None:
    web = Scaled(story, mode=mode)
    web.evict(web.pods[0])
    assert broken(story) == ["vpa-evicts-where-asked"]


def test_it_evicts_what_another_vpa_is_about(story: Any) -> None:
    web = Scaled(story)
    web.edit(targetRef=objects.reference("ReplicaSet", "other"))
    web.evict(web.pods[0])
    assert broken(story) == ["vpa-evicts-where-asked"]


def test_a_review_changes_nothing(story: Any) -> None:
    web = Scaled(story)
    story.write(ADMISSION, "review", VPAS, "web")
    web.evict(web.pods[0])
    assert broken(story) == []


def test_it_evicts_a_pod_that_is_being_deleted(story: Any) -> None:
    web = Scaled(story)
    story.delete_pod(web.pods[0])
    web.evict(web.pods[0])
    assert broken(story) == ["vpa-evicts-where-asked"]


def test_it_evicts_with_an_old_lease(story: Any) -> None:
    web = Scaled(story)
    story.at(59.9)
    web.evict(web.pods[0])
    assert broken(story) == []
    story.at(60)
    web.evict(web.pods[1])
    assert broken(story) == ["vpa-fresh-lease"]
    story.history.options = Options(vpa=VpaOptions(updater=UpdaterOptions(use_admission_controller_status=False)))
    assert broken(story) == []


@pytest.mark.parametrize(("tolerance", "most"), [(0.5, 2), (0.0, 1), (0.3, 1), (1.0, 4)])
def test_it_evicts_too_many_at_once(story: Any, tolerance: float, most: int) -> None:
    web = Scaled(story, eviction_tolerance=tolerance)
    story.at(30)
    for pod in web.pods[:most]:
        web.evict(pod)
    assert broken(story) == []
    if most < len(web.pods):
        web.evict(web.pods[most])
        assert broken(story) == ["vpa-eviction-tolerance"]
        assert broken(story, "no-restart") == []


def test_each_loop_may_evict_as_many(story: Any) -> None:
    web = Scaled(story, eviction_tolerance=0.25)
    for at, pod in enumerate(web.pods[:2]):
        story.at(30 + at)
        web.evict(pod)
        story.remove("kubelet", "pods", pod)
        story.run_pod(story.create_pod())
    assert broken(story) == []


def test_it_evicts_from_a_small_group(story: Any) -> None:
    web = Scaled(story, 1)
    web.evict(web.pods[0])
    assert broken(story) == ["vpa-eviction-tolerance"]


def test_a_vpa_may_say_how_small_a_group_may_be(story: Any) -> None:
    web = Scaled(story, 1)
    web.edit(updatePolicy={"minReplicas": 1})
    web.evict(web.pods[0])
    assert broken(story) == []


def test_nothing_is_known_of_unknown_flags(story: Any) -> None:
    web = Scaled(story, 1)
    story.history.options = None
    web.evict(web.pods[0])
    assert broken(story) == []


def test_it_evicts_what_has_just_been_admitted(story: Any) -> None:
    web = Scaled(story)
    web.recommend()
    story.at(30)
    pod = web.admit(requests={"cpu": "200m"})
    story.at(50)
    web.evict(pod)
    assert broken(story) == ["vpa-fresh-pods-are-left-alone"]


def test_it_may_evict_it_for_another_recommendation(story: Any) -> None:
    web = Scaled(story)
    story.at(30)
    pod = web.admit(requests={"cpu": "200m"})
    story.at(40)
    web.recommend()
    web.evict(pod)
    assert broken(story) == []


@pytest.mark.parametrize("resource", ["limitranges", "pods"])
def test_it_may_evict_it_for_a_reason(story: Any, resource: str) -> None:
    web = Scaled(story)
    web.recommend()
    story.at(30)
    pod = web.admit(requests={"cpu": "200m"})
    if resource == "pods":
        status = {"containerStatuses": [{"name": "main", "restartCount": 1}]}
        story.change("pods", pod, "kubelet", "status", status=status)
    else:
        story.store("scenario", "create", "limitranges", objects.limit_range("bounds"))
    web.evict(pod)
    assert broken(story) == []


# -- the admission controller ------------------------------------------------------------------------------------------


def test_it_admits_what_requests_more_than_its_limit(story: Any) -> None:
    web = Scaled(story)
    web.admit(requests={"cpu": "200m", "memory": "1Gi"}, limits={"cpu": "200m", "memory": "1023Mi"})
    assert broken(story) == ["vpa-requests-within-limits"]
