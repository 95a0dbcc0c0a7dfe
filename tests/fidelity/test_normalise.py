"""Transcripts in comparable form."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity.normalise import comparable
from lockstep.quality.fidelity.transcript import Step, Transcript

UID, OTHER = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"


def _seen(*steps: Step, **names: str) -> list[Any]:
    return [step.get("body", step.get("events")) for step in comparable(Transcript(list(steps), names))]


def _object(version: int, uid: str = UID, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"uid": uid, "resourceVersion": str(version), **metadata}}


def test_versions_become_ranks() -> None:
    found = _seen(Step("GET /", code=200, body=_object(70)), Step("GET /", code=200, body=_object(50)))
    assert [one["metadata"]["resourceVersion"] for one in found] == ["<version 2>", "<version 1>"]


def test_the_version_of_a_list_is_the_latest_or_lies_after_an_object() -> None:
    listed = {"metadata": {"resourceVersion": "60"}, "items": []}
    found = _seen(Step("GET /", code=200, body=_object(50)), Step("GET /", code=200, body=listed))
    assert found[1]["metadata"]["resourceVersion"] == "<latest>"
    found = _seen(Step("GET /", code=200, body=_object(70)), Step("GET /", code=200, body=listed))
    assert found[1]["metadata"]["resourceVersion"] == "<version 0 or later>"


def test_an_unseen_version_in_a_record_is_shown_by_its_place() -> None:
    def reported(record: int) -> str:
        made, refused = _object(50), {"message": f"resource version: 50 is not the one in record ({record})"}
        found = _seen(Step("POST /", code=201, body=made), Step("DELETE /", code=409, body=refused))
        return str(found[1]["message"]).removeprefix("resource version: <version 1> is not the one in ")

    assert reported(50) == "record (<version 1>)"
    assert reported(61) == "record (<after version 1>)"
    assert reported(49) == "record (<after version 0>)"


def test_uids_are_distinguished_in_texts_too() -> None:
    found = _seen(Step("GET /", code=200, body={"message": f"{OTHER} is not {UID}, but {OTHER}"}))
    assert found[0]["message"] == "<uid 1> is not <uid 2>, but <uid 1>"


def test_instants_count_by_the_servers_clock_but_those_of_clients_stay() -> None:
    sent = {"time": "1970-01-01T00:00:50Z"}
    body = {"now": "1970-01-01T00:01:39Z", "later": "1970-01-01T00:02:10Z", "mine": "1970-01-01T00:00:50Z"}
    found = _seen(Step("POST /", sent=sent, code=200, body=body, at=100.4))
    assert found[0] == {"now": "<now>", "later": "<now+30s>", "mine": "1970-01-01T00:00:50Z"}


def test_each_answer_with_a_page_has_its_own_token() -> None:
    def reported(*tokens: str) -> list[str]:
        answers = [Step("GET /", code=200, body={"metadata": {"continue": token}}) for token in tokens]
        then = Step(f"GET /?continue={tokens[-1]}", code=200, body={})
        return [step["step"] for step in comparable(Transcript([*answers, then]))][-1:] + [
            step["metadata"]["continue"] for step in _seen(*answers)
        ]

    assert (
        reported("abc", "abd")
        == reported("abc", "abc")
        == ["GET /?continue=<continue 2>", "<continue 1>", "<continue 2>"]
    )


def _table(age: str) -> dict[str, Any]:
    row = {"cells": ["5s", age], "object": {"metadata": {"creationTimestamp": "1970-01-01T00:01:40Z"}}}
    return {"kind": "Table", "columnDefinitions": [{"name": "Name"}, {"name": "Age"}], "rows": [row]}


def test_ages_of_rows_count_by_the_servers_clock() -> None:
    found = _seen(*(Step("GET /", code=200, body=_table(age), at=101.2) for age in ("0s", "1s", "9s", "<unknown>")))
    ages = [table["rows"][0]["cells"] for table in found]
    assert ages == [["5s", "<age>"], ["5s", "<age>"], ["5s", "9s"], ["5s", "<unknown>"]]


def test_generated_names_are_distinguished() -> None:
    sent = {"metadata": {"generateName": "some-"}}
    found = _seen(
        Step("POST /", sent=sent, code=201, body={"name": "some-b4c5d"}),
        Step("GET /some-b4c5d", code=200, body={"name": "some-zzzzz", "message": "some-b4c5d"}),
    )
    assert found == [{"name": "some-<name 1>"}, {"message": "some-<name 1>", "name": "some-<name 2>"}]


def test_names_of_the_run_become_what_they_stand_for() -> None:
    assert _seen(Step("GET /", code=200, body={"x": "t1-home"}), t1="TOKEN") == [{"x": "TOKEN-home"}]


def test_tokens_of_pages_become_symbols_wherever_they_are_sent_again() -> None:
    page = {"metadata": {"continue": "abc="}, "items": []}
    steps = comparable(Transcript([Step("GET /", code=200, body=page), Step("GET /?continue=abc%3D", code=200)]))
    assert steps[0]["body"]["metadata"]["continue"] == "<continue 1>"
    assert steps[1]["step"] == "GET /?continue=<continue 1>"


def test_managed_fields_of_appliers_stay() -> None:
    managed = [
        {"manager": "b", "operation": "Apply", "time": "2026-01-01T00:00:00Z"},
        {"manager": "x", "operation": "Update"},
        {"manager": "a", "operation": "Apply"},
    ]
    found = _seen(Step("GET /", code=200, body=_object(1, managedFields=managed)))
    assert [one["manager"] for one in found[0]["metadata"]["managedFields"]] == ["a", "b"]
    assert (
        "managedFields"
        not in _seen(Step("GET /", code=200, body=_object(1, managedFields=managed[1:2])))[0]["metadata"]
    )
