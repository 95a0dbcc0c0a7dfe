"""Which pods are deleted first: each criterion alone, and their order."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from lockstep_reference.replicaset.logarithm import go_log2
from lockstep_reference.replicaset.pod import (
    Pod,
    get_deletion_cost_from_pod_annotations,
    max_container_restarts,
)
from lockstep_reference.replicaset.ranking import (
    ActivePodsWithRanks,
    get_pods_ranked_by_related_pods_on_same_node,
    get_pods_to_delete,
    logarithmic_rank,
)
from tests.reference_replicaset.objects import make_pod

SECOND = 10**9
NOW = 3000 * SECOND


def ranked(first: dict[str, Any], second: dict[str, Any], ranks: tuple[int, int] = (0, 0)) -> bool:
    """Whether `first` goes before `second`, and not the other way round."""
    table = ActivePodsWithRanks([Pod(first), Pod(second)], ranks, NOW)
    before, after = table.less(0, 1), table.less(1, 0)
    assert not (before and after)
    return before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"node": ""}, {"node": "n"}, id="1-unassigned"),
        pytest.param({"phase": "Pending"}, {"phase": "Unknown"}, id="2-pending-before-unknown"),
        pytest.param({"phase": "Unknown"}, {"phase": "Running"}, id="2-unknown-before-running"),
        pytest.param({"ready": None}, {"ready": 10}, id="3-not-ready"),
        pytest.param({"cost": "-5"}, {}, id="4-lower-cost"),
        pytest.param({}, {"cost": "1"}, id="4-absent-cost-is-0"),
        pytest.param({"ready": 2999}, {"ready": 10}, id="6-ready-for-less-time"),
        pytest.param({"restarts": 3}, {"restarts": 1}, id="7-more-restarts"),
        pytest.param({"created": 2999}, {"created": 10}, id="8-newer"),
        pytest.param({"created": None}, {"created": 2999}, id="8-no-creation-time"),
    ],
)
def test_one_criterion(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert ranked(make_pod("b", **first), make_pod("a", **second))
    assert not ranked(make_pod("a", **second), make_pod("b", **first))


def test_5_more_related_pods_on_the_node_go_first() -> None:
    assert ranked(make_pod("b"), make_pod("a"), (2, 1))
    assert not ranked(make_pod("b"), make_pod("a"), (1, 2))


CRITERIA: list[tuple[dict[str, Any], dict[str, Any], tuple[int, int]]] = [
    ({"node": ""}, {"node": "n"}, (0, 0)),
    ({"phase": "Pending"}, {"phase": "Running"}, (0, 0)),
    ({"ready": None}, {"ready": 10}, (0, 0)),
    ({"cost": "-1"}, {"cost": "1"}, (0, 0)),
    ({}, {}, (2, 1)),
    ({"ready": 2999}, {"ready": 10}, (0, 0)),
    ({"restarts": 3}, {"restarts": 1}, (0, 0)),
    ({"created": 2999}, {"created": 10}, (0, 0)),
]


@pytest.mark.parametrize(("strong", "weak"), list(itertools.combinations(range(8), 2)))
def test_an_earlier_criterion_outweighs_a_later_one(strong: int, weak: int) -> None:
    first, second, ranks = CRITERIA[strong]
    weak_first, weak_second, weak_ranks = CRITERIA[weak]
    if strong == 2 and weak == 5:
        # Readiness differs, so there are no two ready times to compare.
        weak_first, weak_second = {}, {}
    # The weak criterion speaks for the second pod, the strong one for the first.
    a, b = {**weak_second, **first}, {**weak_first, **second}
    combined = (ranks[0] + weak_ranks[1], ranks[1] + weak_ranks[0])
    if strong == 4:
        combined = ranks
    assert ranked(make_pod("z", **a), make_pod("a", **b), combined)


@pytest.mark.parametrize("field", ["ready", "created"])
def test_within_one_power_of_two_the_uid_decides(field: str) -> None:
    # 1000 s and 900 s lie between 2^39 and 2^40 ns; 500 s does not.
    older: dict[str, Any] = {field: 2000, "uid": "a"}
    newer: dict[str, Any] = {field: 2100, "uid": "b"}
    newest: dict[str, Any] = {field: 2500, "uid": "c"}
    assert ranked(make_pod("x", **older), make_pod("y", **newer))
    assert not ranked(make_pod("y", **newer), make_pod("x", **older))
    assert ranked(make_pod("z", **newest), make_pod("x", **older))


def test_ready_times_that_tie_by_rank_do_not_fall_through_to_restarts() -> None:
    assert ranked(make_pod("x", uid="a", ready=2000, restarts=0), make_pod("y", uid="b", ready=2100, restarts=9))


def test_equal_pods_keep_their_order() -> None:
    pods = [Pod(make_pod(name)) for name in "cab"]
    assert ActivePodsWithRanks(pods, [0, 0, 0], NOW).sorted() == pods


@pytest.mark.parametrize(
    ("age", "rank"),
    [(-5, -1), (0, -1), (1, 0), (2, 1), (3, 1), (2**39 - 1, 38), (2**39, 39), (2**50 - 1, 50), (2**50, 50)],
)
def test_logarithmic_rank(age: int, rank: int) -> None:
    # 2^50-1 rounds up to 50 in Go, too.
    assert logarithmic_rank(age) == rank


@pytest.mark.parametrize("exponent", range(64))
def test_powers_of_two_have_exact_logarithms(exponent: int) -> None:
    assert go_log2(2.0**exponent) == exponent


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("10", 10),
        ("-10", -10),
        ("-08", -8),
        ("0", 0),
        ("+10", 0),
        ("008", 0),
        ("", 0),
        ("-", 0),
        ("1.5", 0),
        ("1_0", 0),
        ("2147483647", 2**31 - 1),
        ("2147483648", 0),
        ("-2147483648", -(2**31)),
    ],
)
def test_deletion_cost(text: str, cost: int) -> None:
    assert get_deletion_cost_from_pod_annotations({"controller.kubernetes.io/pod-deletion-cost": text}) == cost


def sidecar_pod(name: str, restarts: int, policy: str | None) -> dict[str, Any]:
    pod = make_pod(name)
    pod["spec"]["initContainers"] = [{"name": "side", **({"restartPolicy": policy} if policy else {})}]
    pod["status"]["initContainerStatuses"] = [{"name": "side", "restartCount": restarts}]
    return pod


def test_7_sidecar_restarts_break_a_tie_and_ordinary_init_containers_do_not_count() -> None:
    assert max_container_restarts(sidecar_pod("a", 4, "Always")) == (0, 4)
    assert max_container_restarts(sidecar_pod("a", 4, None)) == (0, 0)
    assert ranked(sidecar_pod("b", 4, "Always"), sidecar_pod("a", 1, "Always"))
    assert not ranked(sidecar_pod("b", 4, None), sidecar_pod("a", 1, None))


def test_ranks_count_active_related_pods_per_node() -> None:
    related = [
        make_pod("a", node="n1"),
        make_pod("b", node="n1"),
        make_pod("c", node="n2"),
        make_pod("gone", node="n2", phase="Failed"),
        make_pod("going", node="n2", deleted=True),
    ]
    pods = [Pod(pod) for pod in related]
    table = get_pods_ranked_by_related_pods_on_same_node(pods[:3], pods, NOW)
    assert table.ranks == [2, 2, 1]


def test_get_pods_to_delete_sorts_only_if_it_must_choose() -> None:
    pods = [Pod(make_pod("a", ready=1)), Pod(make_pod("b"))]
    assert [pod.name for pod in get_pods_to_delete(pods, [], 1, NOW)] == ["b"]
    assert [pod.name for pod in get_pods_to_delete(pods, [], 2, NOW)] == ["a", "b"]
