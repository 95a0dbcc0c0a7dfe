"""Every scenario against what the real kube-apiserver answered, on the two targets that are at hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lockstep.apiserver.limits import LIMITS
from lockstep.quality.fidelity.declaring import ApiScenario, load
from lockstep.quality.fidelity.excuses import EXCUSES
from lockstep.quality.fidelity.judging import Verdict, verdict_on
from lockstep.quality.fidelity.recordings import load as load_recording
from lockstep.quality.fidelity.suite import recorded
from lockstep.quality.fidelity.targets import Target, open_target

SCENARIOS = load()


def _told(verdict: Verdict) -> str:
    return "\n".join(f"{one.path} {one.step}\n  {one.real!r}\n  {one.here!r}" for one in verdict.differences) + "".join(
        f"\nthe limit {one.topic!r} no longer shows" for one in verdict.stale
    )


@pytest.fixture(scope="module")
def memory() -> Iterator[Target]:
    with open_target("memory", print) as target:
        yield target


@pytest.fixture(scope="module")
def http() -> Iterator[Target]:
    with open_target("http", print) as target:
        yield target


@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if not one.over_http], ids=lambda one: one.id)
def test_in_process(scenario: ApiScenario, memory: Target) -> None:
    verdict = verdict_on(scenario, memory, recorded(scenario))
    assert verdict.state != "differs", _told(verdict)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.id)
def test_over_http(scenario: ApiScenario, http: Target) -> None:
    verdict = verdict_on(scenario, http, recorded(scenario))
    assert verdict.state != "differs", _told(verdict)


def test_there_are_enough_of_them() -> None:
    assert len(SCENARIOS) >= 120


def test_recordings_hold_these_scenarios_and_no_others() -> None:
    topics = {one.topic for one in SCENARIOS}
    found = {name for topic in topics for name in load_recording(topic)}
    assert found == {one.id for one in SCENARIOS}


def test_every_excuse_belongs_to_a_limit_and_is_shown_by_scenarios_that_exist() -> None:
    known = {one.id for one in SCENARIOS}
    topics = {limit.topic for limit in LIMITS}
    for excuse in EXCUSES:
        assert excuse.topic in topics
        assert excuse.shown_by
        assert set(excuse.shown_by) <= known
