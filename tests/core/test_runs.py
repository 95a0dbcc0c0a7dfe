"""Runs as a whole: one seed, one trace; both implementations; what the runner says of a scenario."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep import objects
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations import Implementation
from lockstep.implementations.reference import Reference
from lockstep.implementations.registry import UsageError, open_implementation
from lockstep.project import Evidence, Project, ProjectError
from lockstep.project.loading import load
from lockstep.runs import opening
from lockstep.runs.config import RunConfig
from lockstep.runs.runner import Runner
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Scenario
from lockstep.trace.recordings import Provenance
from lockstep_conformance.plans.playing import Plan
from lockstep_conformance.replicaset import plans
from tests.core.kit import play, scenario_of, trace_of

PLAN: Plan = {
    "lifecycles": {"ant": [{"start_after": 1.0, "ready_after": 3.0, "stop_after": 1.0}]},
    "owned": False,
    "replica_sets": [
        {
            "name": "ant",
            "replicas": 5,
            "selector": {"app": "x"},
            "labels": {"app": "x"},
            "min_ready_seconds": 2,
            "grace": 30,
        }
    ],
    "steps": [
        {"after": 11.0, "do": "fail-pod", "owner": "ant", "index": 2},
        {
            "after": 0.5,
            "do": "error",
            "code": 500,
            "verb": "create",
            "resource": "pods",
            "times": 2,
            "retry_after": None,
        },
        {"after": 5.0, "do": "scale", "name": "ant", "replicas": 7},
        {"after": 5.0, "do": "scale", "name": "ant", "replicas": 2},
        {"after": 1.0, "do": "drop-watch", "resource": "pods"},
        {"after": 1.0, "do": "crash", "seconds": 1.0},
    ],
}


async def busy(cluster: Cluster) -> None:
    await plans.play(cluster, PLAN)


@pytest.mark.parametrize("spec", ["reference", pytest.param("upstream", marks=pytest.mark.upstream)])
def test_the_same_seed_gives_one_trace_in_200_runs(spec: str) -> None:
    implementation = open_implementation(spec, "1.36.3", lambda _: None)
    try:
        runs = [run_scenario(scenario_of(busy), implementation) for _ in range(200)]
    finally:
        implementation.close()
    assert [run.error for run in runs if run.error] == []
    assert len({trace_of(run).digest() for run in runs}) == 1
    assert len(trace_of(runs[0]).instants) >= 12


def test_seeds_differ_in_names_and_agree_in_behaviour() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 3))
        await cluster.settle()

    first, second = play(body, seed=1), play(body, seed=2)
    names = [{write.name for write in run.history if write.resource == "pods"} for run in (first, second)]
    assert names[0].isdisjoint(names[1])
    assert trace_of(first).digest() == trace_of(second).digest()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"implementation": "downstream"}, "unknown implementation 'downstream'; known: reference, upstream"),
        ({"implementation": "upstream:0.9"}, "unknown upstream release '0.9'; known: 1.3"),
        ({"implementation": "upstream:path=nowhere"}, "nowhere is not a Kubernetes checkout"),
        ({"environment": "moon"}, "unknown environment 'moon'; known: memory"),
        ({"against": "yesterday"}, "unknown implementation 'yesterday'"),
        ({"release": "2.0"}, "unknown upstream release '2.0'"),
        ({"update": True}, "recordings are taken from upstream only"),
    ],
)
def test_what_does_not_exist_is_one_clear_line(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        RunConfig.parse(**options)  # type: ignore[arg-type]
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def project(root: Path) -> Project:
    return Project(
        root, configured=True, evidence=Evidence(root / "recordings", root / "regressions", root / "divergences.yaml")
    )


async def true(cluster: Cluster) -> None:
    cluster.expect("truth", True, True)


async def false(cluster: Cluster) -> None:
    cluster.expect("truth", True, False)


def test_a_scenario_without_assertions_is_not_green(tmp_path: Path) -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.run(1)

    with Runner(RunConfig(against="none"), project(tmp_path)) as runner:
        outcome = runner.run(scenario_of(body))
    assert (outcome.verdict, outcome.message) == ("fail", "the scenario asserted nothing")


@pytest.mark.parametrize(("late", "reported"), [(2.34, True), (0.2, False)])
def test_a_failure_on_a_machine_that_was_late_says_so(
    late: float, reported: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        return replace(run_scenario(scenario, implementation, seed), late=late)

    monkeypatch.setattr(opening, "run_scenario", run)
    with Runner(RunConfig(against="none"), project(tmp_path)) as runner:
        message = runner.run(scenario_of(false)).message
    assert message.endswith("\n\nThis machine was up to 2.3 s late for what was due; try fewer --jobs.") == reported


def test_a_missing_recording_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with Runner(RunConfig(), project(tmp_path)) as runner:
        outcome = runner.run(scenario_of(true))
    assert outcome.verdict == "error"
    assert "lockstep record replicaset/under-test --release 1.36.3" in outcome.message


def test_a_recording_is_not_taken_from_runs_of_which_one_broke_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[RunResult] = []

    def run(scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        results.append(run_scenario(scenario, implementation, seed))
        return replace(results[-1], error="the upstream process was killed by signal 9") if results[1:] else results[0]

    monkeypatch.setattr(opening, "run_scenario", run)
    monkeypatch.setattr(opening, "open_implementation", lambda *_: Reference())
    with Runner(RunConfig("upstream", update=True), project(tmp_path)) as runner:
        outcome = runner.run(scenario_of(true))
    assert outcome.verdict == "error"
    assert outcome.message.endswith("the upstream process was killed by signal 9; nothing was recorded")
    assert len(results) == 2
    assert list(tmp_path.iterdir()) == []


class Recordable(Reference):
    """The reference under the name of upstream, whose recordings count."""

    spec = "upstream"

    def provenance(self, seed: int) -> Provenance:
        return Provenance("upstream", "1.36.3", "sum", "go", "0", seed, "2026-01-01")


def test_a_scenario_is_recorded_in_its_project_and_held_to_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)

    async def one_pod(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1))
        await cluster.settle()
        cluster.expect("pods", 1, len(cluster.pods()))

    async def two_pods(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 2))
        await cluster.settle()
        cluster.expect("pods", 2, len(cluster.pods()))

    monkeypatch.setattr(opening, "open_implementation", lambda *_: Recordable())
    with Runner(RunConfig("upstream", update=True), project(tmp_path)) as runner:
        assert runner.run(scenario_of(one_pod, module="tests.mine")).message == ""
    assert (tmp_path / "recordings/1.36.3/replicaset/under-test.json").is_file()
    with Runner(RunConfig(), project(tmp_path)) as runner:
        same, other = (runner.run(scenario_of(body, module="tests.mine")) for body in (one_pod, two_pods))
    assert (same.verdict, other.verdict) == ("pass", "fail")
    assert "Reproduce: lockstep run tests/core/test_runs.py::" in other.message


def test_the_suite_is_judged_by_its_own_evidence_and_recorded_where_that_lies_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built_in,) = (one for one in load() if one.id == "replicaset/scale-up-creates-the-difference")
    with Runner(RunConfig(), project(tmp_path)) as runner:
        assert runner.run(built_in).verdict == "pass"
    monkeypatch.setattr(opening, "open_implementation", lambda *_: Recordable())
    refused = pytest.raises(ProjectError, match=r"lies outside of the project .* and is never written")
    with Runner(RunConfig("upstream", update=True), project(tmp_path)) as runner, refused:
        runner.run(built_in)
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_of_the_project_excuses_what_its_entries_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {
        "id": "KD-1",
        "title": "t",
        "class": "upstream-bug",
        "controller": "replicaset",
        "releases": [">=1.0"],
        "against": "upstream",
        "link": "https://example.org",
        "explanation": "e",
        "match": [{"kind": "failed assertion"}],
        "scenarios": ["replicaset/under-test"],
    }
    (tmp_path / "divergences.yaml").write_text(json.dumps([entry]))
    monkeypatch.setattr(opening, "open_implementation", lambda *_: Recordable())
    with Runner(RunConfig("upstream", against="none"), project(tmp_path)) as runner:
        outcome = runner.run(scenario_of(false))
    assert (outcome.verdict, outcome.divergences) == ("divergent", ("KD-1",))
