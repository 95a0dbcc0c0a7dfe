"""The real packages' answers against the reference's, on a few thousand questions of each topic."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lockstep.implementations.oracle import answering
from lockstep.implementations.upstream.oracle import Oracle, OracleFailed, build_oracle
from lockstep.quality.oracle.comparing import compare
from lockstep.quality.oracle.topics import TOPICS

pytestmark = pytest.mark.upstream


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(build_oracle(progress=print)) as oracle:
        yield oracle


@pytest.mark.parametrize("topic", TOPICS)
def test_no_answer_differs(topic: str, oracle: Oracle) -> None:
    found = compare(topic, answering(topic), oracle, 3000, seed=20)
    assert found.differences == []


@pytest.mark.parametrize("seed", [21, 22])
def test_the_oracle_sees_a_wrong_answer(seed: int, oracle: Oracle) -> None:
    right = answering("amounts")
    wrong = compare("amounts", lambda question: right({**question, "amount": question["amount"] + 1}), oracle, 50, seed)
    assert wrong.different > 40


def test_a_newer_release_keeps_an_oom_that_this_one_drops(oracle: Oracle) -> None:
    """1.8.0 measures the age of a kill from the last sample, 1.7 from the end of the interval."""
    day = 86_400_000_000_000
    steps = [{"do": "memory", "c": 0, "t": 0, "a": 10**9}, {"do": "oom", "c": 0, "t": -60_000_000_000, "a": 10**9}]
    question = {"containers": 1, "interval": day, "bumpRatio": 1.2, "minBump": 0.0, "steps": steps}
    said = oracle.ask("container", [question])[0][0]
    assert said == answering("container")(question)[0]
    assert said[3] is False
    with Oracle(build_oracle("1.8.1", print)) as newer:
        assert newer.ask("container", [question])[0][0][3] is True


def test_an_unknown_topic_is_refused(oracle: Oracle) -> None:
    with pytest.raises(OracleFailed, match='there is no topic "weather"'):
        oracle.ask("weather", [])


def test_a_question_that_does_not_decode_is_refused(oracle: Oracle) -> None:
    with pytest.raises(OracleFailed, match="cannot unmarshal string"):
        oracle.ask("buckets", [{"value": "many"}])
    assert oracle.ask("buckets", []) == []


def test_an_oracle_that_ends_says_so() -> None:
    with Oracle(build_oracle()) as oracle:
        oracle._process.kill()
        with pytest.raises(OracleFailed, match="ended with code -9"):
            oracle.receive()
