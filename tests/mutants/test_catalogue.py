"""The lists of mutants: what they must be, and who is meant by a name."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lockstep.quality.mutants.catalogue import KINDS, Catalogue, Mutant, MutantError, controllers, load, select

LISTS = [(kind, controller) for kind in KINDS for controller in controllers()]
ENTRY = {"name": "no-limit", "says": "There is no limit.", "file": "a.go", "find": "x > 5", "put": "false"}


def written(folder: Path, *entries: object, **changes: object) -> Path:
    data = {"release": "1.36.3", "source": "here", "mutants": list(entries), **changes}
    (folder / "replicaset").mkdir()
    (folder / "replicaset/upstream.yaml").write_text(yaml.safe_dump(data))
    return folder


def test_each_controller_has_mutants() -> None:
    assert controllers() == ["hpa", "replicaset", "vpa"]


@pytest.mark.parametrize(("kind", "controller"), LISTS)
def test_each_implementation_has_at_least_40_mutants(kind: str, controller: str) -> None:
    assert len(load(kind, controller).mutants) >= 40


@pytest.mark.parametrize(("kind", "controller"), LISTS)
def test_a_mutant_is_one_short_change(kind: str, controller: str) -> None:
    long = [one.name for one in load(kind, controller).mutants if len(one.find) > 120 or one.find.count("\n") > 2]
    assert long == []


def test_an_entry_becomes_a_mutant(tmp_path: Path) -> None:
    entry = {**ENTRY, "function": "f", "likely": ["replicaset/x*"]}
    catalogue = load("upstream", "replicaset", written(tmp_path, entry))
    assert catalogue.release == "1.36.3"
    likely = ("replicaset/x*",)
    assert catalogue.mutants == (
        Mutant("upstream", "replicaset", "no-limit", "There is no limit.", "a.go", "x > 5", "false", "f", likely),
    )
    assert catalogue.mutants[0].id == "upstream/replicaset/no-limit"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([], "lists no mutants; add some"),
        ([{**ENTRY, "rename": "b"}], "mutant no-limit must have file, find, name, put, says, and may have"),
        ([{key: value for key, value in ENTRY.items() if key != "put"}], "mutant no-limit must have"),
        (["no-limit"], "mutant one must have"),
        ([{**ENTRY, "put": False}], "mutant no-limit: put must be text; put it in quotes"),
        ([{**ENTRY, "put": "x > 5"}], "mutant no-limit changes nothing; find and put must differ"),
        ([{**ENTRY, "find": ""}], "mutant no-limit changes nothing"),
        ([ENTRY, ENTRY], "has two mutants of one name: no-limit; rename one"),
    ],
)
def test_a_malformed_list_is_refused(tmp_path: Path, entries: list[object], message: str) -> None:
    with pytest.raises(MutantError, match=r"lockstep_fixtures/mutants/replicaset/upstream.yaml") as refused:
        load("upstream", "replicaset", written(tmp_path, *entries))
    assert message in str(refused.value)


def test_a_list_needs_its_provenance(tmp_path: Path) -> None:
    with pytest.raises(MutantError, match="exactly the fields mutants, release, source"):
        load("upstream", "replicaset", written(tmp_path, ENTRY, author="me"))


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        MutantError, match=r"lockstep_fixtures/mutants/hpa/reference.yaml cannot be read: .*; restore it"
    ):
        load("reference", "hpa", tmp_path)


def two_kinds() -> list[Catalogue]:
    def of(kind: str, controller: str, *names: str) -> Catalogue:
        return Catalogue(
            kind, controller, "1.36.3", tuple(Mutant(kind, controller, name, "", "f", "a", "b") for name in names)
        )

    return [
        of("reference", "hpa", "no-event"),
        of("reference", "replicaset", "no-burst", "no-event"),
        of("upstream", "replicaset", "no-burst"),
    ]


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (
            [],
            [
                "reference/hpa/no-event",
                "reference/replicaset/no-burst",
                "reference/replicaset/no-event",
                "upstream/replicaset/no-burst",
            ],
        ),
        (["no-burst"], ["reference/replicaset/no-burst", "upstream/replicaset/no-burst"]),
        (["upstream/*", "*/hpa/*event"], ["reference/hpa/no-event", "upstream/replicaset/no-burst"]),
    ],
)
def test_names_choose_mutants(patterns: list[str], chosen: list[str]) -> None:
    assert [one.id for one in select(two_kinds(), patterns)] == chosen


def test_a_name_without_a_mutant_is_a_mistake() -> None:
    with pytest.raises(MutantError, match=r"no mutant matches 'no-brust'; did you mean no-burst\?"):
        select(two_kinds(), ["no-burst", "no-brust"])
