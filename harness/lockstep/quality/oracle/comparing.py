"""Ask the oracle and an implementation the same questions, and record where their answers differ."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lockstep.implementations.upstream.oracle import Oracle
from lockstep.quality.oracle.topics import TOPICS

_BATCH = 1000
_KEPT = 5
#: How often a question is repeated whose answer may depend on the order of a Go map.
_AGAIN = 64


@dataclass(frozen=True, slots=True)
class Difference:
    """One question with two answers."""

    question: Any
    upstream: Any
    implementation: Any


@dataclass(slots=True)
class Comparison:
    """The result. `different` counts differences, `differences` has the first ones; times in seconds.

    Upstream iterates over maps in random order. If it answers the same question in several ways, and one of its answers
    is the implementation's, the question counts as `open`, not as different.

    `oracle_seconds` is the processor time of the oracle; `seconds` is the real time of everything, with drawing
    questions and the implementation's answers.
    """

    topic: str
    questions: int = 0
    different: int = 0
    open: int = 0
    panics: int = 0
    oracle_seconds: float = 0.0
    seconds: float = 0.0
    differences: list[Difference] = field(default_factory=list)


def compare(
    topic: str,
    answer: Callable[[Any], Any],
    oracle: Oracle,
    questions: int,
    seed: int,
    progress: Callable[[Comparison], None] = lambda _: None,
) -> Comparison:
    """Draw that many questions from a seed and compare the answers. Raises OracleFailed if the oracle breaks."""
    draw, rng = TOPICS[topic], random.Random(f"{topic} {seed}")
    found, began = Comparison(topic), time.perf_counter()
    while found.questions < questions:
        batch = [draw(rng) for _ in range(min(_BATCH, questions - found.questions))]
        oracle.send(topic, batch)
        mine = [answer(question) for question in batch]  # while the oracle computes, too
        theirs, seconds = oracle.receive()
        for question, expected, given in zip(batch, theirs, mine, strict=True):
            found.panics += isinstance(expected, dict) and "panic" in expected
            if expected != given:
                _note(found, oracle, Difference(question, expected, given))
        found.questions += len(batch)
        found.oracle_seconds += seconds
        found.seconds = time.perf_counter() - began
        progress(found)
    return found


def _note(found: Comparison, oracle: Oracle, difference: Difference) -> None:
    """Count it, and keep it if it is one of the first."""
    if difference.implementation in oracle.ask(found.topic, [difference.question] * _AGAIN):
        found.open += 1
        return
    found.different += 1
    if len(found.differences) < _KEPT:
        found.differences.append(difference)
