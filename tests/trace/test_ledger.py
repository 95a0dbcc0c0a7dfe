from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from lockstep.project.loading import load
from lockstep.trace.compare import compare
from lockstep.trace.ledger import Ledger, LedgerError, in_range
from lockstep.trace.model import Trace
from lockstep_fixtures import ROOT as FIXTURES

ENTRY = {
    "id": "KD-001",
    "title": "terminatingReplicas is new",
    "class": "release-difference",
    "controller": "replicaset",
    "releases": ["<1.35"],
    "against": "upstream",
    "link": "https://example.com/1",
    "explanation": "Older releases do not count terminating pods.",
    "match": [{"path": "status.terminatingReplicas"}],
    "scenarios": ["replicaset/a", "replicaset/b"],
}


def ledger(tmp_path: Path, *entries: Any) -> Ledger:
    path = tmp_path / "divergences.yaml"
    path.write_text(yaml.safe_dump(list(entries)))
    return Ledger.load(path)


def without_terminating(*, also: bool = False) -> Any:
    left = Trace(
        (
            {"at": "1.000", "status": {"rs": {"replicas": 1, "terminatingReplicas": 0}}},
            {"at": "2.000", "status": {"rs": {"terminatingReplicas": 1}}},
        ),
        {},
        {},
    )
    right = Trace(({"at": "1.000", "status": {"rs": {"replicas": 2 if also else 1}}},), {}, {})
    return compare(left, right)


def test_one_pattern_explains_every_difference_of_its_field(tmp_path: Path) -> None:
    judged = ledger(tmp_path, ENTRY).judge("replicaset/a", "1.34.4", True, without_terminating())
    assert (judged.remaining, judged.explained, judged.stale) == ((), ("KD-001",), ())


def test_another_difference_remains(tmp_path: Path) -> None:
    judged = ledger(tmp_path, ENTRY).judge("replicaset/a", "1.34.4", True, without_terminating(also=True))
    assert [one.path for one in judged.remaining] == ["status.replicas"]
    assert judged.explained == ("KD-001",)


def test_a_scenario_that_is_not_listed_gets_no_excuse(tmp_path: Path) -> None:
    judged = ledger(tmp_path, ENTRY).judge("replicaset/c", "1.34.4", True, without_terminating())
    assert len(judged.remaining) == 2
    assert (judged.explained, judged.stale) == ((), ())


def test_a_release_out_of_range_gets_no_excuse(tmp_path: Path) -> None:
    judged = ledger(tmp_path, ENTRY).judge("replicaset/a", "1.36.3", True, without_terminating())
    assert len(judged.remaining) == 2


def test_a_difference_that_is_gone_makes_its_entry_stale(tmp_path: Path) -> None:
    same = Trace((), {}, {})
    judged = ledger(tmp_path, ENTRY).judge("replicaset/b", "1.34.4", True, compare(same, same))
    assert (judged.remaining, judged.explained, judged.stale) == ((), (), ("KD-001",))


def test_where_the_ledger_does_not_apply_nothing_is_explained_or_stale(tmp_path: Path) -> None:
    judged = ledger(tmp_path, ENTRY).judge("replicaset/a", "1.34.4", False, without_terminating())
    assert (len(judged.remaining), judged.explained, judged.stale) == (2, (), ())


def test_all_globs_of_a_pattern_must_fit(tmp_path: Path) -> None:
    for left, explained in (("0", 1), ("7", 0), (0, 1)):
        entry = ENTRY | {"match": {"kind": "changed*", "object": "rs", "left": left, "right": "(absent)"}}
        judged = ledger(tmp_path, entry).judge("replicaset/a", "1.34.4", True, without_terminating())
        assert len(judged.remaining) == 2 - explained


def test_a_ledger_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert Ledger.load(tmp_path / "none.yaml").entries == ()


def test_scenarios_must_exist_on_a_full_run(tmp_path: Path) -> None:
    full = ledger(tmp_path, ENTRY)
    full.require_known(["replicaset/a", "replicaset/b", "replicaset/c"])
    with pytest.raises(LedgerError, match="KD-001: there is no scenario 'replicaset/b'; correct"):
        full.require_known(["replicaset/a"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "entry number 1: the field 'id' must be there"),
        ({"link": None}, "entry KD-001: the field 'link' must be there"),
        ({"class": "bug"}, "unknown class 'bug'; use one of upstream-bug"),
        ({"releases": []}, "'releases' must be a list of texts"),
        ({"releases": [1.34]}, "'releases' must be a list of texts"),
        ({"releases": ["newer"]}, "'newer' is neither a release nor a comparison"),
        ({"match": []}, "'match' must hold at least one pattern"),
        ({"match": [{}]}, "a pattern is a mapping"),
        ({"match": [{"field": "x"}]}, "unknown field 'field' in a pattern"),
        ({"match": [{"kind": "wrong write"}]}, "no difference is of kind 'wrong write'"),
        ({"scenarios": "replicaset/a"}, "'scenarios' must be a list"),
        ({"since": "1.2"}, "unknown field 'since'"),
    ],
)
def test_a_bad_entry_is_named_with_its_fault(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(LedgerError) as error:
        ledger(tmp_path, ENTRY | change)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert "divergences.yaml" in str(error.value)


def test_what_is_no_list_of_mappings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "divergences.yaml"
    for text, message in (("a: 1", "must be a list"), ("- 1", "must be a mapping"), ("[", "no readable YAML")):
        path.write_text(text)
        with pytest.raises(LedgerError, match=message):
            Ledger.load(path)


def test_a_ledger_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "divergences.yaml").mkdir()
    with pytest.raises(LedgerError, match=r"divergences\.yaml cannot be read: Is a directory; restore it"):
        Ledger.load(tmp_path / "divergences.yaml")


def test_the_projects_own_ledger_names_only_scenarios_that_exist() -> None:
    known = Ledger.load(FIXTURES / "divergences.yaml")
    assert known.entries
    known.require_known([scenario.id for scenario in load()])


def test_ids_are_unique(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="two entries have the id KD-001"):
        ledger(tmp_path, ENTRY, ENTRY)


@pytest.mark.parametrize(
    ("release", "expression", "inside"),
    [
        ("1.34.4", "1.34.4", True),
        ("1.34.4", "1.34.5", False),
        ("1.35.4", "<1.36", True),
        ("1.36.0", "<1.36", False),
        ("1.9.9", "<1.36", True),
        ("1.36.3", "<=1.36.3", True),
        ("1.36.3", ">1.36", True),
        ("1.34.4", ">=1.34,<1.36", True),
        ("1.36.3", ">=1.34,<1.36", False),
    ],
)
def test_releases_compare_as_numbers(release: str, expression: str, inside: bool) -> None:
    assert in_range(release, expression) is inside
