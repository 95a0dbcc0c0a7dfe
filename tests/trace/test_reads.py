"""Reads in a history, in a trace, and between two traces: syncs that write nothing are compared too."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from lockstep.time.clock import seconds
from lockstep.trace.compare import compare
from lockstep.trace.difference import EXTRA_READ, MISSING_READ, Tolerance
from lockstep.trace.explain import explain
from lockstep.trace.history import History
from lockstep.trace.history_file import load_history, save_history
from lockstep.trace.ledger import Judged
from lockstep.trace.model import Trace
from lockstep.trace.normalise import normalise
from lockstep.trace.periods import fold, unfold

ACTOR = "horizontal-pod-autoscaler"
WEB = "replicasets.apps/scale web"


def history(*instants: float, name: str = "web", writes: History | None = None) -> History:
    found = writes or History([ACTOR])
    for at in instants:
        found.record_read(seconds(at), ACTOR, "replicasets.apps", "scale", "default", name)
    return found


def trace(*instants: float) -> Trace:
    return normalise(history(*instants))


@pytest.mark.parametrize(
    ("times", "runs"),
    [
        ([], []),
        ([15_000], [["15.000"]]),
        ([0, 15_000], [["0.000"], ["15.000"]]),
        ([-500, 14_500, 29_500], [["-0.500", "15.000", 3]]),
        ([0, 15_000, 30_000, 31_000], [["0.000", "15.000", 3], ["31.000"]]),
        ([0, 10, 15, 20, 25], [["0.000"], ["0.010", "0.005", 4]]),
        ([0, 0, 10, 10, 20, 20], [["0.000", "0.010", 3], ["0.000", "0.010", 3]]),
        ([0, 10, 10, 20], [["0.000", "0.010", 3], ["0.010"]]),
    ],
)
def test_runs_of_equal_distances(times: list[int], runs: list[Any]) -> None:
    assert fold(times) == runs
    assert unfold(runs) == times


def test_any_instants_come_back_from_their_runs() -> None:
    draw = random.Random(7)
    for _ in range(500):
        times = sorted(draw.choice((5, 15, 1)) * draw.randrange(-3, 40) for _ in range(draw.randrange(30)))
        assert unfold(fold(times)) == times


@pytest.mark.parametrize("runs", [[["1.000", "2.000"]], [[]], [["soon"]], [5], [["1.000", "1.000", "x"]], 5])
def test_what_is_no_run_is_no_trace(runs: Any) -> None:
    with pytest.raises(ValueError, match="not runs of reads"):
        unfold(runs)


def test_a_trace_without_reads_is_what_it_always_was(builder: Any, scaled_up: Any) -> None:
    scaled_up(builder)
    assert "reads" not in normalise(builder.history).to_json()


def test_a_trace_holds_its_reads() -> None:
    found = trace(15, 30, 45)
    assert found.to_json()["reads"] == {WEB: [["15.000", "15.000", 3]]}
    assert Trace.from_json(found.to_json()) == found
    assert found.compared_items == 3
    assert found.digest() != trace(15, 30, 45, 60).digest()
    with pytest.raises(ValueError, match="not runs of reads"):
        Trace.from_json(found.to_json() | {"reads": {WEB: [["15.000", "x"]]}})


def test_a_read_is_about_what_had_the_name_at_its_time(builder: Any) -> None:
    builder.replica_set("web")
    history(1, writes=builder.history)
    builder.at(2).remove("scenario", "replicasets.apps", "web")
    history(3, writes=builder.history)
    builder.at(4).replica_set("web")
    history(5, writes=builder.history)
    assert normalise(builder.history).reads == {WEB: [["1.000"], ["3.000"]], f"{WEB}'": [["5.000"]]}


def test_a_sync_more_and_a_sync_less() -> None:
    found = compare(trace(15, 30, 45), trace(15, 30, 50)).differences
    assert [(one.at, one.kind, one.object) for one in found] == [
        ("45.000", MISSING_READ, WEB),
        ("50.000", EXTRA_READ, WEB),
    ]
    assert found[0].line() == f"at +45.000 s: missing read: {WEB}: get {WEB} -> (absent)"


def test_the_number_at_one_instant_counts() -> None:
    (found,) = compare(trace(15, 15), trace(15)).differences
    assert found.line() == f"at +15.000 s: missing read: {WEB}: 2 x get {WEB} -> get {WEB}"


def test_instants_may_shift_as_far_as_is_declared() -> None:
    window = (Tolerance("at", 2.0),)
    assert compare(trace(15, 30), trace(16, 29), window).differences == []
    assert len(compare(trace(15, 30), trace(18, 30), window).differences) == 2


def test_differences_stay_in_the_order_of_time(builder: Any) -> None:
    builder.history.controllers |= {ACTOR}
    builder.replica_set("web")
    builder.at(20).create_pod()
    left = normalise(history(30, writes=builder.history))
    assert [one.kind for one in compare(left, trace(10)).differences[:3]] == [EXTRA_READ, "missing write", MISSING_READ]


def test_a_missing_sync_is_explained() -> None:
    comparison = compare(trace(15, 30), trace(15))
    judged = Judged(tuple(comparison.differences), (), (), comparison)
    text = explain(judged, "hpa/x", "It MUST sync.", ("upstream", "reference"), "lockstep run")
    assert "The first difference is at +30.000 s:" in text
    assert f"expected  get {WEB}" in text
    assert "got       nothing of the kind" in text


def test_a_history_file_keeps_reads(tmp_path: Path, builder: Any) -> None:
    builder.replica_set("web")
    save_history(tmp_path / "run.jsonl", history(15, 30, writes=builder.history), {})
    loaded, _ = load_history(tmp_path / "run.jsonl")
    assert loaded.reads == builder.history.reads
    assert len(loaded) == 1
