"""Scenarios start evenly spread."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from lockstep.clusters.real.starts import Starts


def _begin(starts: Starts) -> float:
    with starts:
        return time.monotonic()


def test_one_comes_some_time_after_another() -> None:
    before, starts = time.monotonic(), Starts(processors=2, share=0.1)
    with ThreadPoolExecutor(4) as pool:
        begun = sorted(pool.map(_begin, [starts] * 4))
    assert all(at - before >= 0.05 * number for number, at in enumerate(begun))


def test_the_first_one_does_not_wait() -> None:
    before = time.monotonic()
    assert _begin(Starts(processors=1, share=60)) - before < 10


def test_there_is_no_wait_for_what_ends_at_once() -> None:
    before = time.monotonic()
    with ThreadPoolExecutor(2) as pool, ExitStack() as first:
        starts = Starts(processors=4, share=400)
        first.enter_context(starts)
        second = pool.submit(_begin, starts)
        starts.hurry()
        assert second.result() - before < 10


def test_a_machine_that_is_late_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep.clusters.real.starts._BREATH", 0.2)
    before, starts = time.monotonic(), Starts(share=0)
    starts.report_delay(1.0)
    starts.report_delay(0.1)
    assert _begin(starts) - before >= 0.2


def test_a_machine_that_is_always_late_is_used_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep.clusters.real.starts._BREATH", 60)
    monkeypatch.setattr("lockstep.clusters.real.starts._LONGEST", 0.1)
    starts = Starts(share=0)
    starts.report_delay(1.0)
    before = time.monotonic()
    assert _begin(starts) - before < 10
