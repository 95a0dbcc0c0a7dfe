"""`lockstep oracle`: what it shows, and how it ends. The oracle is a stand-in, which answers as the reference does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from lockstep.implementations.oracle import answering
from lockstep.implementations.upstream import oracle

Lockstep = Callable[..., Any]


class StandIn:
    """Knows better than the reference where `wrong` says so."""

    wrong = False

    def __init__(self, binary: Path) -> None:
        assert binary == Path("/cache/oracle.test")
        self._answers: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def send(self, topic: str, questions: Sequence[Any]) -> None:
        answer = answering(topic)
        self._answers = ["never"] * len(questions) if self.wrong else [answer(question) for question in questions]

    def receive(self) -> tuple[list[Any], float]:
        return self._answers, 0.001

    def ask(self, topic: str, questions: Sequence[Any]) -> list[Any]:
        self.send(topic, questions)
        return self._answers


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "Oracle", StandIn)
    monkeypatch.setattr(oracle, "build_oracle", lambda _version, _progress: Path("/cache/oracle.test"))


def test_a_line_for_each_topic(lockstep: Lockstep) -> None:
    result = lockstep("oracle", "buckets", "amounts", "--questions", "1500", "--seed", "3")
    assert result.code == 0
    assert "upstream   VPA 1.7.3\nquestions  1,500 a topic\nseed       3\n" in result.out
    assert [line.split()[:5] for line in result.out.splitlines() if line.startswith(("buckets", "amounts"))] == [
        ["buckets", "1,500", "0", "0", "0"],
        ["amounts", "1,500", "0", "0", "0"],
    ]
    assert result.out.endswith("\n3,000 questions, 0 different\n")


def test_differences_are_shown_with_both_answers(lockstep: Lockstep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "wrong", True)
    result = lockstep("oracle", "elementary", "--questions", "7")
    assert result.code == 1
    assert result.out.count('  upstream   "never"\n  reference  ') == 5
    assert result.out.endswith("\n7 questions, 7 different\n")


def test_an_unknown_topic_names_those_that_there_are(lockstep: Lockstep) -> None:
    result = lockstep("oracle", "weather")
    assert (result.code, result.out) == (2, "")
    assert "there is no topic 'weather'; the topics are elementary, buckets" in result.err
