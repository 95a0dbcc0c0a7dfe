"""A server that answers otherwise is caught, and so is an excuse that nothing needs any more."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.apiserver import ApiServer, Reply, Request
from lockstep.quality.fidelity import excuses
from lockstep.quality.fidelity.compare import ABSENT, Difference, differences
from lockstep.quality.fidelity.declaring import ApiScenario, api_scenario, load
from lockstep.quality.fidelity.excuses import Excuse
from lockstep.quality.fidelity.judging import judge, transcript_of, verdict_on
from lockstep.quality.fidelity.memory import MemoryTransport
from lockstep.quality.fidelity.suite import recorded, selected
from lockstep.quality.fidelity.targets import Target, open_target
from lockstep.quality.fidelity.wire import FidelityError


def _scenario(name: str) -> ApiScenario:
    return next(one for one in load() if one.id == name)


class _Forgetful(ApiServer):
    """Answers every stale write with 200."""

    def handle(self, request: Request) -> Reply:
        body = request.body
        if request.method == "PUT" and isinstance(body, dict):
            metadata = {key: item for key, item in body["metadata"].items() if key != "resourceVersion"}
            request.body = {**body, "metadata": metadata}
        return super().handle(request)


def test_a_server_without_optimistic_locking_is_caught() -> None:
    target = Target("memory", lambda: MemoryTransport(_Forgetful(lambda: 0)), http=False)
    scenario = _scenario("versions/stale-put")
    verdict = verdict_on(scenario, target, recorded(scenario))
    assert verdict.state == "differs"
    assert any(one.path == "3.code" and (one.real, one.here) == (409, 200) for one in verdict.differences)


def test_an_excuse_that_nothing_needs_fails_its_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = Excuse("Services", (".body.nothing",), ("versions/stale-put",))
    monkeypatch.setattr(excuses, "EXCUSES", (*excuses.EXCUSES, idle))
    scenario = _scenario("versions/stale-put")
    with open_target("memory", print) as target:
        verdict = verdict_on(scenario, target, recorded(scenario))
    assert (verdict.state, verdict.stale) == ("differs", [idle])


def test_an_excuse_counts_where_it_is_shown_only() -> None:
    excuse = Excuse("Warnings", (".warning", "2.code"), ("a/b",))
    other = Difference("1.warning", "GET /", "text", ABSENT)
    assert excuse.takes("a/b", other)
    assert not excuse.takes("a/c", other)
    assert excuse.takes("a/b", Difference("2.code", "GET /", 200, 201))
    assert not excuse.takes("a/b", Difference("3.code", "GET /", 200, 201))


def test_types_differ_as_well_as_values() -> None:
    found = differences([{"step": "GET /", "a": 1, "b": True}], [{"step": "GET /", "a": 1.0, "b": 1}])
    assert [one.path for one in found] == ["1.a", "1.b"]


def test_missing_steps_and_fields_are_differences() -> None:
    found = differences([{"step": "GET /", "a": [1, 2]}, {"step": "GET /x"}], [{"step": "GET /", "a": [1]}])
    assert [(one.path, one.here) for one in found] == [("1.a[1]", ABSENT), ("2", ABSENT)]


def test_a_real_server_is_excused_nothing() -> None:
    scenario = _scenario("lists/shape")
    with open_target("memory", print) as target:
        here = transcript_of(scenario, target)
        real = recorded(scenario)
        assert judge(scenario, "memory", real, here).state == "excused"
        target.real = True
        assert verdict_on(scenario, target, real).state == "differs"


@pytest.mark.parametrize(("name", "must"), [("no-topic", "It MUST."), ("topic/name", "It should.")])
def test_a_malformed_scenario_is_refused(name: str, must: str) -> None:
    with pytest.raises(FidelityError):
        api_scenario(name, must=must, source="nowhere")


def test_a_pattern_that_matches_nothing_is_refused() -> None:
    with pytest.raises(FidelityError, match="no scenario matches nothing"):
        selected(["nothing"])


def test_a_target_that_does_not_exist_is_refused() -> None:
    with pytest.raises(FidelityError, match="memory, http, control-plane"), open_target("moon", print):
        pass


def _body(version: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"uid": "u", "resourceVersion": version, **more}}


def test_ids_are_unique_and_sentences_say_what_must_be() -> None:
    found = load()
    assert len({one.id for one in found}) == len(found)
    assert all("MUST" in one.must and one.source for one in found)
