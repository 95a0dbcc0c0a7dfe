"""Which pods are updated, and in which order. After pkg/updater/priority/*_test.go."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gotime import SECOND, rfc3339
from lockstep_reference.vpa.apis import recommendation_of
from lockstep_reference.vpa.updater.priority.assessment import Assessor
from lockstep_reference.vpa.updater.priority.priority_processor import get_update_priority
from lockstep_reference.vpa.updater.priority.scaling_direction import ScalingDirectionPodEvictionAdmission
from lockstep_reference.vpa.updater.priority.update_priority_calculator import (
    UpdateConfig,
    UpdatePriorityCalculator,
)
from lockstep_reference.vpa.utils.panic import Panic
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor
from tests.reference_vpa.vpa_kit import calculator, container, limit_range, pod, recommended, vpa

Wire = dict[str, Any]
_MINUTE, _HOUR = 60 * SECOND, 3600 * SECOND
_NOW = 24 * _HOUR
_CONFIG = UpdateConfig(0.1, 12 * _HOUR, 10 * _MINUTE)


def _assessor(*limit_ranges: Wire) -> Assessor:
    bounds = calculator(*limit_ranges)
    return Assessor(CappingRecommendationProcessor(bounds), bounds)


def _sorted(vpa_: Wire, *pods: Wire, config: UpdateConfig = _CONFIG, infeasible: Wire | None = None) -> list[str]:
    calculator_ = UpdatePriorityCalculator(vpa_, config, _assessor())
    tried = {uid: recommendation_of(vpa(each)) or [] for uid, each in (infeasible or {}).items()}
    for each in pods:
        calculator_.add_pod(each, _NOW, tried)
    admission = ScalingDirectionPodEvictionAdmission()
    admission.loop_init([(vpa_, pods)])
    return [each["metadata"]["name"] for each in calculator_.get_sorted_pods(admission)]


def _pod(name: str, cpu: str | None = "100m", age: int = _HOUR, **fields: Any) -> Wire:
    status = {"startTime": rfc3339(_NOW - age), **fields.pop("status", {})}
    requests = {"memory": "100Mi", **({"cpu": cpu} if cpu else {})}
    return pod(container(requests=requests), name=name, status=status, **fields)


def _around(target: str = "100m", lower: str = "50m", upper: str = "200m") -> Wire:
    return recommended(target={"cpu": target}, lowerBound={"cpu": lower}, upperBound={"cpu": upper})


@pytest.mark.parametrize(
    ("requests", "target", "wanted"),
    [
        ({"cpu": "2", "memory": "4"}, {"cpu": "4", "memory": "1"}, (True, 1.75)),
        ({"cpu": "4"}, {"cpu": "2"}, (False, 0.5)),
        ({"cpu": "0"}, {"cpu": "1m"}, (True, 0.0)),  # at least one milli is requested
        ({}, {"cpu": "10m"}, (True, 9.0)),
        ({"cpu": "1"}, {"cpu": "1"}, (False, 0.0)),
    ],
)
def test_priorities(requests: Wire, target: Wire, wanted: tuple[bool, float]) -> None:
    found = get_update_priority(pod(container(requests=requests)), recommendation_of(vpa(recommended(target=target))))
    assert (found.scale_up, found.resource_diff) == wanted
    assert found.outside_recommended_range is (not requests)


def test_sums_are_over_all_containers_that_count() -> None:
    two = pod(container("a", {"cpu": "1"}), container("b", {"cpu": "3"}), container("c", {"cpu": "100"}))
    recommendation = recommendation_of(vpa(recommended("a", {"cpu": "2"}), recommended("b", {"cpu": "4"})))
    assert get_update_priority(two, recommendation).resource_diff == 0.5
    two["metadata"]["annotations"] = {"vpaObservedContainers": "a, c"}
    assert get_update_priority(two, recommendation).resource_diff == 1.0
    two["metadata"]["annotations"] = {"vpaObservedContainers": "a,c"}
    assert get_update_priority(two, recommendation).resource_diff == 0.5


def test_pods_that_want_to_grow_go_first_and_then_the_largest_change() -> None:
    pods = [_pod("shrinks-much", "10"), _pod("grows", "90m"), _pod("shrinks", "1"), _pod("grows-much", "10m")]
    narrow = vpa(_around("100m", "100m", "100m"))
    assert _sorted(narrow, *pods) == ["grows-much", "grows", "shrinks-much", "shrinks"]


@pytest.mark.parametrize(
    ("age", "cpu", "wanted"),
    [
        (12 * _HOUR, "90m", True),
        (12 * _HOUR - SECOND, "90m", False),
        (12 * _HOUR, "92m", False),
        (0, "49m", True),
        (0, "201m", True),
        (0, "50m", False),
        (0, None, True),
    ],
)
def test_who_is_updated(age: int, cpu: str | None, wanted: bool) -> None:
    assert _sorted(vpa(_around()), _pod("web", cpu, age)) == (["web"] if wanted else [])


def test_a_pod_that_no_kubelet_has_taken_in() -> None:
    assert _sorted(vpa(_around("150m")), pod(container(requests={"cpu": "100m"}))) == []


def _oom(ran: int, ago: int, reason: str = "OOMKilled") -> Wire:
    finished = _NOW - ago
    ended = {"reason": reason, "startedAt": rfc3339(finished - ran), "finishedAt": rfc3339(finished)}
    return {"containerStatuses": [{"name": "app", "lastState": {"terminated": ended}}]}


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        (_oom(_MINUTE, _MINUTE), True),
        (_oom(10 * _MINUTE, _MINUTE), False),
        (_oom(10 * _MINUTE - SECOND, _MINUTE), True),
        (_oom(_MINUTE, 10 * _MINUTE), False),
        (_oom(_MINUTE, 10 * _MINUTE - SECOND), True),
        (_oom(_MINUTE, _MINUTE, "Error"), False),
    ],
)
def test_quick_oom(status: Wire, wanted: bool) -> None:
    assert _sorted(vpa(_around("110m")), _pod("web", status=status)) == (["web"] if wanted else [])
    assert _sorted(vpa(_around("100m")), _pod("web", status=status)) == []  # nothing would change


def test_quick_oom_does_not_concern_some_containers() -> None:
    hurt = _pod("web", status=_oom(_MINUTE, _MINUTE))
    off = {"containerName": "app", "mode": "Off"}
    assert _sorted(vpa(_around("110m"), policies=[off]), hurt) == []
    hurt["metadata"]["annotations"] = {"vpaObservedContainers": "other"}
    assert _sorted(vpa(_around("110m")), hurt) == []


def test_the_vpas_own_oom_threshold_is_behind_a_gate() -> None:
    own = vpa(_around("110m"), mode="Recreate", updatePolicy={"evictAfterOOMSeconds": 30})
    hurt = _pod("web", status=_oom(_MINUTE, _MINUTE))
    assert _sorted(own, hurt) == ["web"]
    assert _sorted(own, hurt, config=UpdateConfig(0.1, 12 * _HOUR, 10 * _MINUTE, per_vpa_config=True)) == []


@pytest.mark.parametrize(("tried", "wanted"), [({"cpu": "400m"}, True), ({"cpu": "300m"}, False), ({}, False)])
def test_what_was_infeasible_waits_for_something_smaller(tried: Wire, wanted: bool) -> None:
    wide = vpa(_around("300m", "300m", "300m"), mode="InPlace")
    found = _sorted(wide, _pod("web"), infeasible={"uid-web": recommended(target=tried)})
    assert found == (["web"] if wanted else [])


def test_upstream_panics_when_it_logs_a_recommendation_that_is_not_there() -> None:
    eager = UpdateConfig(0.0, 0, 10 * _MINUTE)
    with pytest.raises(Panic, match="nil pointer dereference"):
        _sorted(vpa(), _pod("web"), config=eager)
    assert _sorted(vpa(policies=[]), _pod("web"), config=eager) == ["web"]
    assert _sorted(vpa(), _pod("web")) == []


@pytest.mark.parametrize(
    ("requirements", "wanted"),
    [
        (None, True),
        ([], True),
        ([(["cpu"], "TargetHigherThanRequests")], True),
        ([(["cpu"], "TargetLowerThanRequests")], False),
        ([(["cpu", "memory"], "TargetLowerThanRequests")], True),
        ([(["cpu"], "TargetHigherThanRequests"), (["memory"], "TargetHigherThanRequests")], False),
        ([([], "TargetHigherThanRequests")], False),
        ([(["cpu"], "Sideways")], False),
    ],
)
def test_directions(requirements: list[tuple[list[str], str]] | None, wanted: bool) -> None:
    policy = {"updateMode": "Recreate"}
    made = [{"resources": names, "changeRequirement": change} for names, change in requirements or ()]
    one = vpa(
        recommended(target={"cpu": "200m", "memory": "50Mi"}),
        updatePolicy=policy if requirements is None else {**policy, "evictionRequirements": made},
    )
    web = _pod("web")
    admission = ScalingDirectionPodEvictionAdmission()
    admission.loop_init([(one, [web])])
    assert admission.admit(web, recommendation_of(one)) is wanted


def test_directions_of_incomplete_requests_and_unknown_pods() -> None:
    down = {"resources": ["cpu"], "changeRequirement": "TargetLowerThanRequests"}
    one = vpa(recommended(target={"cpu": "200m"}), updatePolicy={"evictionRequirements": [down]})
    bare, full = _pod("bare", None), _pod("full")
    admission = ScalingDirectionPodEvictionAdmission()
    admission.loop_init([(one, [bare, full])])
    recommendation = recommendation_of(one)
    assert [admission.admit(each, recommendation) for each in (bare, full)] == [True, False]
    assert not admission.admit(bare, [])
    admission.clean_up()
    assert admission.admit(full, recommendation)


def test_assessments_are_kept_as_long_as_nothing_changes() -> None:
    bounds = [limit_range({"type": "Container", "max": {"cpu": "1"}})]
    assessor = _assessor(*bounds)
    web, one = _pod("web"), vpa(_around())
    first = assessor.assess(web, one)
    assessor.loop_init()
    assert assessor.assess(web, one) is first
    assessor.loop_init()
    assert assessor.assess(_pod("web", "300m"), one).priority.outside_recommended_range
    assessor.loop_init()
    assert assessor.assess(web, vpa(_around("10", "10", "10"))).priority.scale_up
    assessor.loop_init()
    assessor.loop_init()
    assert assessor.assess(web, one) is not first
