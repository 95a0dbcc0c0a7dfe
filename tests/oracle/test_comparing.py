"""What counts as a difference. The oracle is a stand-in with fixed answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import pytest

from lockstep.implementations import oracle as implementations
from lockstep.implementations.oracle.values import number
from lockstep.quality.oracle import topics
from lockstep.quality.oracle.comparing import Comparison, compare
from lockstep.quality.oracle.topics import TOPICS


class StandIn:
    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer
        self._waiting: list[list[Any]] = []
        self.batches: list[int] = []

    def send(self, topic: str, questions: Sequence[Any]) -> None:
        assert topic == "buckets"
        self.batches.append(len(questions))
        self._waiting.append([self._answer(question) for question in questions])

    def receive(self) -> tuple[list[Any], float]:
        return self._waiting.pop(0), 0.5

    def ask(self, topic: str, questions: Sequence[Any]) -> list[Any]:
        self.send(topic, questions)
        return self.receive()[0]


def run(answer: Callable[[Any], Any], theirs: Callable[[Any], Any], questions: int = 10) -> Comparison:
    return compare("buckets", answer, StandIn(theirs), questions, seed=1)  # type: ignore[arg-type]


def test_equal_answers_are_counted() -> None:
    found = run(lambda question: question["value"], lambda question: question["value"], 2500)
    assert (found.questions, found.different, found.open, found.oracle_seconds) == (2500, 0, 0, 1.5)


def test_a_difference_is_counted_and_the_first_ones_kept() -> None:
    found = run(lambda _: 1, lambda _: 2)
    assert (found.different, len(found.differences)) == (10, 5)
    assert (found.differences[0].upstream, found.differences[0].implementation) == (2, 1)


def test_an_answer_that_upstream_gives_now_and_then_is_open() -> None:
    turns: Iterator[int] = count()
    found = run(lambda _: "b", lambda _: "ab"[next(turns) % 2])
    assert found.open == 5
    assert found.different == 0


def test_panics_are_counted() -> None:
    assert run(lambda _: {"panic": "no"}, lambda _: {"panic": "no"}).panics == 10


def test_progress_is_reported_after_each_batch() -> None:
    reported: list[int] = []
    oracle = StandIn(lambda _: 0)
    compare("buckets", lambda _: 0, oracle, 2100, 1, lambda found: reported.append(found.questions))  # type: ignore[arg-type]
    assert reported == [1000, 2000, 2100]
    assert oracle.batches == [1000, 1000, 100]


@pytest.mark.parametrize("topic", TOPICS)
def test_a_seed_draws_the_same_questions(topic: str) -> None:
    first, second = ([TOPICS[topic](rng) for _ in range(20)] for rng in (random.Random(7), random.Random(7)))
    assert first == second


@pytest.mark.parametrize("topic", TOPICS)
def test_the_reference_answers_every_question(topic: str) -> None:
    rng = random.Random(3)
    answer = implementations.answering(topic)
    for _ in range(200):
        answer(TOPICS[topic](rng))


def test_each_topic_has_questions_and_answers() -> None:
    assert set(topics.TOPICS) == set(implementations._ANSWERS)


def test_an_error_of_the_reference_is_the_answer() -> None:
    question = {
        "scheme": {"max": 10.0, "first": 1.0, "ratio": 2.0, "epsilon": 0.1},
        "halfLife": None,
        "steps": [{"do": "add", "v": 1.0, "w": -1.0, "t": 0}],
        "percentiles": [],
    }
    assert implementations.answering("histogram")(question) == {"panic": "sample weight must be non-negative"}


def test_what_json_cannot_hold_is_text() -> None:
    assert list(map(number, (1.5, float("inf"), float("-inf"), float("nan")))) == [1.5, "+Inf", "-Inf", "NaN"]
