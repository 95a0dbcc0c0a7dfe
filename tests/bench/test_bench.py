"""Figures, targets and measures of `lockstep bench`, at sizes that take no time."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lockstep.cli.bench_verb import command
from lockstep.implementations.reference import Reference
from lockstep.quality.bench import BenchFailed, Figure, at_least, at_most, bench, figures
from lockstep.quality.bench.parts import server, steps
from lockstep.quality.bench.runs import days, reconcile, scale, speed
from lockstep.quality.bench.served import traffic
from lockstep.quality.bench.sides import Sides
from lockstep.quality.bench.workloads import churn, play
from lockstep.scenarios.declare import Scenario
from lockstep.time.python_gc import rarely_collected


@pytest.mark.parametrize(
    ("figure", "met", "text"),
    [
        (Figure("a", 10, "x", at_least(10)), True, ">= 10"),
        (Figure("a", 9.9, "x", at_least(10)), False, ">= 10"),
        (Figure("a", 2, "x", at_most(2)), True, "<= 2"),
        (Figure("a", 2.1, "x", at_most(2)), False, "<= 2"),
        (Figure("a", 2.1, "x"), None, "None"),
    ],
)
def test_targets(figure: Figure, met: bool | None, text: str) -> None:
    assert figure.met is met
    assert str(figure.target) == text


def test_sides_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    durations = iter([3.0, 10.0, 1.0, 30.0, 2.0, 20.0] * 2)

    def seconds_of(work: object) -> float:
        assert callable(work)
        work()
        return next(durations)

    monkeypatch.setattr(figures, "seconds_of", seconds_of)
    works = lambda: calls.append("a"), lambda: calls.append("b")
    assert figures.medians(3, *works) == [2.0, 20.0]
    assert figures.best(3, *works) == [1.0, 10.0]
    assert calls == ["a", "b"] * 6


def test_measures_of_runs(sides: Sides) -> None:
    found = [
        *speed(sides, minutes=2),
        *scale(sides, small=3, large=6),
        *days(sides, hours=2),
        *reconcile(sides, count=3),
    ]
    assert len(found) == 2 + 5 + 2 + 2
    assert all(one.value > 0 for one in found)


def test_measures_of_parts(sides: Sides) -> None:
    found = [*server(sides, pods=20), *steps(sides, count=10)]
    assert len(found) == 5
    assert all(one.value > 0 for one in found)


def test_half_a_run_is_no_figure() -> None:
    async def body(cluster: object) -> None:
        raise ValueError("no")

    with pytest.raises(BenchFailed, match="replicaset/broken on reference went wrong: ValueError: no"):
        play(Scenario("replicaset/broken", "It MUST.", ("",), body), Reference())


def test_churn_replaces_a_pod_each_minute() -> None:
    result = play(churn(3, replicas=2), Reference())
    created = [one for one in result.history if (one.verb, one.resource, one.subresource) == ("create", "pods", "")]
    assert len(created) == 2 + 3


def test_the_command_shows_targets_and_writes_a_report(tmp_path: Path) -> None:
    report = tmp_path / "bench.json"
    result = CliRunner().invoke(command, ["steps", "--report", str(report)])
    assert result.exit_code == 0
    assert "a world step" in result.output
    names = [one["name"] for one in json.loads(report.read_text())["bench"]]
    assert names == ["a world step", "a request and its answer, reference"]


def test_an_unknown_measure() -> None:
    result = CliRunner().invoke(command, ["sped"])
    assert result.exit_code == 2
    assert "there is no measure 'sped'; the measures are speed, hpa, week," in result.output
    with pytest.raises(KeyError):
        bench(["sped"], lambda _: None)


def test_the_cyclic_collector_is_back_after_a_run() -> None:
    before = gc.get_threshold()
    with rarely_collected():
        assert gc.get_threshold()[0] > 100 * before[0]
    assert gc.get_threshold() == before


def test_traffic_is_counted_and_judged(sides: Sides) -> None:
    requests, faults, events = traffic(sides, seconds=1.0, watchers=5, writes=10)
    assert requests.value > 1
    assert (faults.value, faults.met) == (0, True)
    assert events.value > 1
