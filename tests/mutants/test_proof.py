"""From scenarios to results: what counts as evidence, in which order it is tried, and when a mutant survives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from lockstep.quality import mutants
from lockstep.quality.mutants import proof
from lockstep.quality.mutants.bench import Bench
from lockstep.quality.mutants.catalogue import Catalogue, Mutant, MutantError
from lockstep.quality.mutants.proof import Prover
from lockstep.quality.mutants.suite import Report
from lockstep.quality.mutants.trial import Answer, Trial

Make = Callable[..., Mutant]
NAMES = ("replicaset/burst", "replicaset/events", "replicaset/status")


def scenarios() -> list[SimpleNamespace]:
    """Those of another controller prove nothing, and are not tried."""
    return [
        SimpleNamespace(id=name, controller=name.split("/")[0], controllers=("any",), horizon=1.0)
        for name in (*NAMES, "hpa/burst")
    ]


class Cluster:
    """A suite of three scenarios: `flaws` says which of them a mutant does not pass, and with what message."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.flaws: dict[str | None, dict[str, str]] = {None: {}}
        self.died = ""
        self.trials: list[Trial] = []
        self.present: str | None = None
        self.said: list[str] = []
        monkeypatch.setattr(proof, "at_hand", lambda *_, **__: scenarios())
        self.bench = Bench("reference", None, self.ready)

    @contextmanager
    def ready(self, mutant: Mutant | None) -> Iterator[None]:
        self.present = mutant.name if mutant else None
        yield

    def run(self, trial: Trial) -> Report:
        self.trials.append(trial)
        flaws = self.flaws[self.present]
        answers = []
        for name in trial.scenarios:
            answers.append(Answer(name, "fail" if name in flaws else "pass", flaws.get(name, "")))
            if name in flaws and trial.fail_fast:
                break
        return Report(tuple(answers), self.died)

    def prover(self, *mutants: Mutant) -> Prover:
        prover = Prover(self.bench, self.run, Catalogue("reference", "replicaset", "1.36.3", ()), self.said.append)
        prover.establish(mutants)
        return prover


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return Cluster(monkeypatch)


def test_the_first_scenario_that_fails_kills(cluster: Cluster, mutant: Make) -> None:
    cluster.flaws["no-limit"] = {"replicaset/events": "got\n 3", "replicaset/status": "late"}
    result = cluster.prover().prove(mutant())
    assert (result.name, result.killed_by) == ("upstream/replicaset/no-limit", ("replicaset/events",))
    assert result.how == "got 3"
    assert result.tried == 2


def test_a_group_is_judged_by_all_its_controllers_and_long_scenarios_come_last(
    monkeypatch: pytest.MonkeyPatch, cluster: Cluster, mutant: Make
) -> None:
    both = ("vpa-recommender", "vpa-updater")
    made = [
        SimpleNamespace(id="vpa-recommender/loop", controller=both[0], controllers=both, horizon=1.0),
        SimpleNamespace(id="vpa-recommender/a-week", controller=both[0], controllers=both[:1], horizon=9.0),
        SimpleNamespace(id="vpa-updater/lease", controller=both[1], controllers=both[1:], horizon=1.0),
        SimpleNamespace(id="hpa/burst", controller="hpa", controllers=("hpa",), horizon=1.0),
    ]
    monkeypatch.setattr(proof, "at_hand", lambda *_, **__: made)
    cluster.flaws["no-limit"] = {}
    Prover(cluster.bench, cluster.run, Catalogue("upstream", "vpa", "1.36.3", ()), cluster.said.append).prove(mutant())
    assert cluster.trials[-1].scenarios == ("vpa-updater/lease", "vpa-recommender/a-week", "vpa-recommender/loop")


def test_a_mutant_that_passes_everything_survives(cluster: Cluster, mutant: Make) -> None:
    cluster.flaws["no-limit"] = {}
    result = cluster.prover().prove(mutant())
    assert (result.killed_by, result.how, result.tried) == ((), "", 3)


def test_likely_scenarios_come_first_and_all_are_tried(cluster: Cluster, mutant: Make) -> None:
    cluster.flaws["no-limit"] = {}
    cluster.prover().prove(mutant(likely=("*/status",)))
    assert cluster.trials[-1].scenarios == ("replicaset/status", "replicaset/burst", "replicaset/events")


def test_what_the_unmodified_controller_fails_is_no_evidence(cluster: Cluster, mutant: Make) -> None:
    cluster.flaws[None] = {"replicaset/burst": "got 4"}
    cluster.flaws["no-limit"] = {"replicaset/burst": "got 5"}
    assert cluster.prover().prove(mutant()).killed_by == ()
    assert cluster.said == [
        "replicaset/burst proves nothing: the unmodified controller does not pass it: got 4",
    ]
    assert not cluster.trials[0].fail_fast


def test_only_what_catches_a_mutant_is_tried_on_the_unmodified_controller(cluster: Cluster, mutant: Make) -> None:
    cluster.flaws[None] = {"replicaset/burst": "got 4"}
    cluster.flaws["no-limit"] = {"replicaset/burst": "got 5", "replicaset/events": "got 6"}
    likely = mutant(likely=("*/status",))
    result = cluster.prover(likely).prove(likely)
    assert (result.killed_by, result.tried) == (("replicaset/events",), 3)
    assert [(trial.scenarios, trial.fail_fast) for trial in cluster.trials] == [
        (("replicaset/status",), False),
        (("replicaset/status", "replicaset/burst", "replicaset/events"), True),
        (("replicaset/burst",), False),
        (("replicaset/events",), True),
        (("replicaset/events",), False),
    ]


@pytest.mark.parametrize(("died", "reason"), [("", "passes none of the likely scenarios"), ("hung", "hung")])
def test_an_unmodified_controller_that_cannot_be_run_is_an_error(cluster: Cluster, died: str, reason: str) -> None:
    cluster.died = died
    cluster.flaws[None] = {} if died else dict.fromkeys(NAMES, "got 4")
    with pytest.raises(MutantError, match=f"the unmodified reference {reason}; see `lockstep run`"):
        cluster.prover()


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch, cluster: Cluster, mutant: Make) -> list[str]:
    """Two controllers with a list of each kind; the names of the benches that were set up."""
    used: list[str] = []

    @contextmanager
    def bench_for(kind: str, release: str, _: object, progress: object) -> Iterator[Bench]:
        used.append(f"{kind} {release}")
        yield cluster.bench

    def catalogue(kind: str, controller: str) -> Catalogue:
        names = ("no-limit", "slow") if controller == "replicaset" else ("no-limit",)
        made = tuple(mutant(kind=kind, controller=controller, name=name) for name in names)
        return Catalogue(kind, controller, "1.36.3", made)

    monkeypatch.setattr(mutants, "bench_for", bench_for)
    monkeypatch.setattr(mutants, "Stage", lambda _, **__: nullcontext(cluster))
    monkeypatch.setattr(mutants, "load", catalogue)
    monkeypatch.setattr(mutants, "controllers", lambda: ["hpa", "replicaset"])
    cluster.flaws |= {"no-limit": {"replicaset/burst": "got 5", "hpa/burst": "got 6"}, "slow": {}}
    return used


def test_one_command_runs_the_mutants_of_both_kinds(benches: list[str]) -> None:
    lines: list[str] = []
    results = mutants.mutants(progress=lines.append)
    assert [(one.name, one.killed_by) for one in results] == [
        ("reference/hpa/no-limit", ("hpa/burst",)),
        ("reference/replicaset/no-limit", ("replicaset/burst",)),
        ("reference/replicaset/slow", ()),
        ("upstream/hpa/no-limit", ("hpa/burst",)),
        ("upstream/replicaset/no-limit", ("replicaset/burst",)),
        ("upstream/replicaset/slow", ()),
    ]
    assert benches == ["reference 1.36.3", "reference 1.36.3", "upstream 1.36.3", "upstream 1.36.3"]
    assert [line for line in lines if "SURVIVED" in line] == [
        "3/6 reference/replicaset/slow: SURVIVED 3 scenarios: There is no limit.",
        "6/6 upstream/replicaset/slow: SURVIVED 3 scenarios: There is no limit.",
    ]


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ({"names": ["slow"], "of": "upstream"}, ["upstream/replicaset/slow"]),
        ({"controller": "hpa"}, ["reference/hpa/no-limit", "upstream/hpa/no-limit"]),
    ],
)
def test_only_the_benches_that_are_needed_are_set_up(
    benches: list[str], choice: dict[str, Any], names: list[str]
) -> None:
    assert [one.name for one in mutants.mutants(**choice)] == names
    assert benches == [f"{name.split('/')[0]} 1.36.3" for name in names]


def test_a_controller_without_mutants_is_a_mistake() -> None:
    with pytest.raises(MutantError, match="no mutants of controller 'deployment'; known: hpa, replicaset"):
        mutants.mutants(controller="deployment")
