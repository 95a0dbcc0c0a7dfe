"""Expectations: when a controller may act again."""

from __future__ import annotations

import pytest

from lockstep_reference.machinery.expectations import EXPECTATIONS_TIMEOUT, UIDTrackingControllerExpectations
from tests.reference_replicaset.objects import FixedClock

KEY = "default/web"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def expectations(clock: FixedClock) -> UIDTrackingControllerExpectations:
    return UIDTrackingControllerExpectations(clock)


def test_a_controller_without_expectations_may_act(expectations: UIDTrackingControllerExpectations) -> None:
    assert expectations.satisfied_expectations(KEY)


def test_creations_hold_back_until_each_is_observed(expectations: UIDTrackingControllerExpectations) -> None:
    expectations.expect_creations(KEY, 2)
    answers = []
    for _ in range(3):
        answers.append(expectations.satisfied_expectations(KEY))
        expectations.creation_observed(KEY)
    assert answers == [False, False, True]


def test_observing_more_than_expected_still_satisfies(expectations: UIDTrackingControllerExpectations) -> None:
    expectations.expect_creations(KEY, 1)
    for _ in range(3):
        expectations.creation_observed(KEY)
    found = expectations.get_expectations(KEY)
    assert found is not None
    assert (found.add, found.fulfilled()) == (-2, True)


def test_a_deletion_is_counted_once_however_often_it_is_observed(
    expectations: UIDTrackingControllerExpectations,
) -> None:
    expectations.expect_deletions(KEY, ["default/a", "default/b"])
    for key in ("default/a", "default/a", "default/stranger"):
        expectations.deletion_observed(KEY, key)
    assert not expectations.satisfied_expectations(KEY)
    assert expectations.get_uids(KEY) == {"default/b"}
    expectations.deletion_observed(KEY, "default/b")
    assert expectations.satisfied_expectations(KEY)


def test_a_key_named_twice_is_expected_once(expectations: UIDTrackingControllerExpectations) -> None:
    expectations.expect_deletions(KEY, ["default/a", "default/a"])
    expectations.deletion_observed(KEY, "default/a")
    assert expectations.satisfied_expectations(KEY)


@pytest.mark.parametrize(("age", "satisfied"), [(EXPECTATIONS_TIMEOUT, False), (EXPECTATIONS_TIMEOUT + 1, True)])
def test_expectations_expire_after_more_than_five_minutes(
    expectations: UIDTrackingControllerExpectations, clock: FixedClock, age: int, satisfied: bool
) -> None:
    expectations.expect_creations(KEY, 1)
    clock.instant = age
    assert expectations.satisfied_expectations(KEY) is satisfied


def test_new_expectations_replace_the_old_ones(expectations: UIDTrackingControllerExpectations) -> None:
    expectations.expect_creations(KEY, 5)
    expectations.expect_deletions(KEY, ["default/a"])
    expectations.deletion_observed(KEY, "default/a")
    assert expectations.satisfied_expectations(KEY)


def test_raising_does_not_restart_the_clock(expectations: UIDTrackingControllerExpectations, clock: FixedClock) -> None:
    expectations.expect_creations(KEY, 1)
    clock.instant = EXPECTATIONS_TIMEOUT
    expectations.raise_expectations(KEY, 1, 0)
    assert not expectations.satisfied_expectations(KEY)
    clock.instant += 1
    assert expectations.satisfied_expectations(KEY)


def test_deleted_expectations_are_forgotten_with_their_keys(expectations: UIDTrackingControllerExpectations) -> None:
    expectations.expect_deletions(KEY, ["default/a"])
    expectations.delete_expectations(KEY)
    assert expectations.satisfied_expectations(KEY)
    assert expectations.get_uids(KEY) == frozenset()
