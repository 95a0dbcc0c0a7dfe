"""The rate of the oracle's answers. The oracle is a stand-in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import pytest

from lockstep.quality.bench import arithmetic
from lockstep.quality.bench.sides import Sides
from lockstep.quality.oracle.topics import TOPICS


class StandIn:
    """A batch takes it a hundredth of a second, the first one longer."""

    def __init__(self, binary: Path) -> None:
        self._taken = 0.5

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def send(self, topic: str, questions: list[Any]) -> None:
        assert len(questions) == 1000

    def receive(self) -> tuple[list[Any], float]:
        taken, self._taken = self._taken, 0.01
        return [], taken


def test_the_best_batch_counts(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sides.both
    monkeypatch.setattr(arithmetic, "Oracle", StandIn)
    monkeypatch.setattr(arithmetic, "build_oracle", lambda **_: Path("/cache/oracle.test"))
    figures = arithmetic.questions(sides)
    assert [one.name for one in figures] == [f"oracle, {topic}" for topic in TOPICS]
    assert {round(one.value) for one in figures} == {100_000}
    assert [one.name for one in figures if one.target] == ["oracle, elementary", "oracle, buckets", "oracle, amounts"]
