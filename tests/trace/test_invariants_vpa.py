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

    def __init__(self, builder: Any, replicas: int = 4, mode: str = "Recreate", **flags: Any) -> None:
        self.builder = builder
        builder.history.controllers = frozenset({RECOMMENDER, UPDATER, ADMISSION})
        builder.history.options = Options(vpa=VpaOptions(updater=UpdaterOptions(**flags)))
        builder.replica_set("web", replicas)
        self.pods = [builder.create_pod() for _ in range(replicas)]
        for pod in self.pods:
            builder.run_pod(pod)
        self.vpa = objects.vpa(mode=mode)
        self.vpa["metadata"]["uid"] = builder.uid()
        builder.store("scenario", "create", VPAS, self.vpa)
        self.renew(0)

    def renew(self, at: float) -> None:
        self.builder.at(at)
        metadata = {"name": "vpa-admission-controller", "namespace": "kube-system"}
        lease = {"metadata": metadata, "spec": {"renewTime": rfc3339(seconds(at))}}
        self.builder.store(ADMISSION, "update", LEASES, lease, namespace="kube-system")

    def edit(self, **spec: Any) -> None:
        self.builder.change(VPAS, "web", spec=spec)

    def recommend(self, recommendation: Any = TARGET) -> None:
        status = objects.vpa_status(recommendation)
        self.builder.change(VPAS, "web", RECOMMENDER, "status", status=status)

    def admit(self, **resources: Any) -> str:
        """A new pod that the admission controller has changed."""
        body = self.builder.pod_body("web")
        body["metadata"]["annotations"] = {"vpaUpdates": "Pod resources updated by web: container 0: cpu request"}
        body["spec"]["containers"][0]["resources"] = resources
        name: str = self.builder.create_pod("web", body)
        self.builder.run_pod(name)
        return name

    def evict(self, pod: str) -> None:
        before = self.builder.get("pods", pod)
        after = {**before, "metadata": {**before["metadata"], "deletionTimestamp": rfc3339(seconds(self.builder.now))}}
        self.builder.objects["pods", pod] = after
        self.builder.write(UPDATER, "create", "pods", pod, subresource="eviction", before=before, after=after, code=201)


def broken(builder: Any, *excused: str) -> list[str]:
    return [one.invariant for one in check(builder.history, seconds(10_000), False, excused)]


def test_every_invariant_says_its_rule_and_its_source() -> None:
    assert len({one.name for one in VPA_INVARIANTS}) == len(VPA_INVARIANTS)
    for one in VPA_INVARIANTS:
        assert " MUST " in one.must
        assert one.source.startswith("pkg/")
        assert set(one.needs) <= set(CONDITIONS)


def test_a_good_run_breaks_nothing(builder: Any) -> None:
    web = Scaled(builder)
    web.builder.at(30)
    web.recommend()
    web.evict(web.pods[0])
    web.evict(web.pods[1])
    assert broken(builder) == []


def test_parts_keep_to_their_work(builder: Any) -> None:
    Scaled(builder)
    builder.change("replicasets.apps", "web", RECOMMENDER, spec={"replicas": 9})
    builder.change("replicasets.apps", "web", UPDATER, spec={"replicas": 9})
    assert broken(builder, *CONDITIONS) == ["vpa-recommender-knows-its-place", "vpa-updater-knows-its-place"]


# -- the recommender ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bounds", [{"lower": {"cpu": "201m"}}, {"upper": {"cpu": "0.1"}}])
def test_bounds_that_do_not_bound(builder: Any, bounds: dict[str, Any]) -> None:
    Scaled(builder).recommend(objects.recommended(target={"cpu": "200m"}, **bounds))
    assert broken(builder) == ["vpa-ordered-bounds"]


def test_percentiles_may_be_in_another_order(builder: Any) -> None:
    Scaled(builder).recommend(objects.recommended(target={"cpu": "200m"}, upper={"cpu": "100m"}))
    flags = RecommenderOptions(recommendation_upper_bound_cpu_percentile=0.1)
    builder.history.options = Options(vpa=VpaOptions(recommender=flags))
    assert broken(builder) == []


@pytest.mark.parametrize("policy", [{"min_allowed": {"cpu": "150m"}}, {"max_allowed": {"cpu": "500m"}}])
def test_it_recommends_what_is_not_allowed(builder: Any, policy: dict[str, Any]) -> None:
    web = Scaled(builder)
    web.edit(resourcePolicy={"containerPolicies": [objects.container_policy(**policy)]})
    web.recommend()
    assert broken(builder) == ["vpa-within-allowed"]
    assert broken(builder, "fresh-caches") == []


def test_the_policy_of_the_container_counts(builder: Any) -> None:
    web = Scaled(builder)
    policies = [objects.container_policy(max_allowed={"cpu": "1m"}), objects.container_policy("main")]
    web.edit(resourcePolicy={"containerPolicies": policies})
    web.recommend()
    assert broken(builder) == []


# -- the updater -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["Off", "Initial", "InPlace"])
def test_it_evicts_where_no_vpa_allows_it(builder: Any, mode: str) -> None:
    web = Scaled(builder, mode=mode)
    web.evict(web.pods[0])
    assert broken(builder) == ["vpa-evicts-where-asked"]


def test_it_evicts_what_another_vpa_is_about(builder: Any) -> None:
    web = Scaled(builder)
    web.edit(targetRef=objects.reference("ReplicaSet", "other"))
    web.evict(web.pods[0])
    assert broken(builder) == ["vpa-evicts-where-asked"]


def test_a_review_changes_nothing(builder: Any) -> None:
    web = Scaled(builder)
    builder.write(ADMISSION, "review", VPAS, "web")
    web.evict(web.pods[0])
    assert broken(builder) == []


def test_it_evicts_a_pod_that_is_being_deleted(builder: Any) -> None:
    web = Scaled(builder)
    builder.delete_pod(web.pods[0])
    web.evict(web.pods[0])
    assert broken(builder) == ["vpa-evicts-where-asked"]


def test_it_evicts_with_an_old_lease(builder: Any) -> None:
    web = Scaled(builder)
    builder.at(59.9)
    web.evict(web.pods[0])
    assert broken(builder) == []
    builder.at(60)
    web.evict(web.pods[1])
    assert broken(builder) == ["vpa-fresh-lease"]
    builder.history.options = Options(vpa=VpaOptions(updater=UpdaterOptions(use_admission_controller_status=False)))
    assert broken(builder) == []


@pytest.mark.parametrize(("tolerance", "most"), [(0.5, 2), (0.0, 1), (0.3, 1), (1.0, 4)])
def test_it_evicts_too_many_at_once(builder: Any, tolerance: float, most: int) -> None:
    web = Scaled(builder, eviction_tolerance=tolerance)
    builder.at(30)
    for pod in web.pods[:most]:
        web.evict(pod)
    assert broken(builder) == []
    if most < len(web.pods):
        web.evict(web.pods[most])
        assert broken(builder) == ["vpa-eviction-tolerance"]
        assert broken(builder, "no-restart") == []


def test_each_loop_may_evict_as_many(builder: Any) -> None:
    web = Scaled(builder, eviction_tolerance=0.25)
    for at, pod in enumerate(web.pods[:2]):
        builder.at(30 + at)
        web.evict(pod)
        builder.remove("kubelet", "pods", pod)
        builder.run_pod(builder.create_pod())
    assert broken(builder) == []


def test_it_evicts_from_a_small_group(builder: Any) -> None:
    web = Scaled(builder, 1)
    web.evict(web.pods[0])
    assert broken(builder) == ["vpa-eviction-tolerance"]


def test_a_vpa_may_say_how_small_a_group_may_be(builder: Any) -> None:
    web = Scaled(builder, 1)
    web.edit(updatePolicy={"minReplicas": 1})
    web.evict(web.pods[0])
    assert broken(builder) == []


def test_nothing_is_known_of_unknown_flags(builder: Any) -> None:
    web = Scaled(builder, 1)
    builder.history.options = None
    web.evict(web.pods[0])
    assert broken(builder) == []


def test_it_evicts_what_has_just_been_admitted(builder: Any) -> None:
    web = Scaled(builder)
    web.recommend()
    builder.at(30)
    pod = web.admit(requests={"cpu": "200m"})
    builder.at(50)
    web.evict(pod)
    assert broken(builder) == ["vpa-fresh-pods-are-left-alone"]


def test_it_may_evict_it_for_another_recommendation(builder: Any) -> None:
    web = Scaled(builder)
    builder.at(30)
    pod = web.admit(requests={"cpu": "200m"})
    builder.at(40)
    web.recommend()
    web.evict(pod)
    assert broken(builder) == []


@pytest.mark.parametrize("resource", ["limitranges", "pods"])
def test_it_may_evict_it_for_a_reason(builder: Any, resource: str) -> None:
    web = Scaled(builder)
    web.recommend()
    builder.at(30)
    pod = web.admit(requests={"cpu": "200m"})
    if resource == "pods":
        status = {"containerStatuses": [{"name": "main", "restartCount": 1}]}
        builder.change("pods", pod, "kubelet", "status", status=status)
    else:
        builder.store("scenario", "create", "limitranges", objects.limit_range("bounds"))
    web.evict(pod)
    assert broken(builder) == []


# -- the admission controller ------------------------------------------------------------------------------------------


def test_it_admits_what_requests_more_than_its_limit(builder: Any) -> None:
    web = Scaled(builder)
    web.admit(requests={"cpu": "200m", "memory": "1Gi"}, limits={"cpu": "200m", "memory": "1023Mi"})
    assert broken(builder) == ["vpa-requests-within-limits"]
