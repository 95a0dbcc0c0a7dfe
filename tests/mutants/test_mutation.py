"""One change at one place, undone at the end, and never in the original file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep.implementations.upstream.edits import linked_copy
from lockstep.quality.mutants.catalogue import Mutant, MutantError
from lockstep.quality.mutants.mutation import applied, mutated

Make = Callable[..., Mutant]
GO = """package a

func (s Sorter) Count(x int) bool {
	return x > limit
}

func (t *Table) Count(
	x int,
) bool {
	if x > limit {
		return true
	}
	return false
}

func Other(x int) bool { return x > limit }
"""
PYTHON = '''def count(
    x: int,
) -> bool:
    """Whether."""
    return x > limit


class Counter:
    async def other(self, x: int) -> bool:
        if x > limit:
            return True
        return False

    limited = x > limit
'''


@pytest.mark.parametrize(("receiver", "line"), [("Sorter", 4), ("Table", 10)])
def test_a_go_method_is_found_by_its_receiver(mutant: Make, receiver: str, line: int) -> None:
    lines = mutated(GO, mutant(function=f"{receiver}.Count")).splitlines()
    assert [number for number, text in enumerate(lines, 1) if "2*limit" in text] == [line]


@pytest.mark.parametrize(("function", "line"), [("count", 5), ("other", 10)])
def test_a_python_function_ends_where_its_indent_ends(mutant: Make, function: str, line: int) -> None:
    lines = mutated(PYTHON, mutant(file="a.py", function=function)).splitlines()
    assert [number for number, text in enumerate(lines, 1) if "2*limit" in text] == [line]


def test_without_a_function_the_whole_file_is_searched(mutant: Make) -> None:
    assert mutated("x > limit", mutant(function="")) == "x > 2*limit"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"function": ""}, "'x > limit' stands 3 times in pkg/a.go, not once; adapt the mutant to the source"),
        ({"function": "Other", "find": "y"}, "'y' stands 0 times in Other of pkg/a.go, not once"),
        ({"function": "Count"}, "pkg/a.go has 2 functions Count, not one; adapt the mutant to the source"),
        ({"function": "Missing"}, "pkg/a.go has 0 functions Missing, not one"),
    ],
)
def test_a_text_that_is_not_there_exactly_once_is_refused(mutant: Make, changes: dict[str, str], message: str) -> None:
    with pytest.raises(MutantError) as refused:
        mutated(GO, mutant(**changes))
    assert str(refused.value).startswith(f"mutant upstream/replicaset/no-limit: {message}")


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module cache: folders in it are read-only."""
    source = tmp_path / "module"
    (source / "pkg").mkdir(parents=True)
    (source / "pkg/a.go").write_text(GO)
    (source / "pkg").chmod(0o555)
    return source


def test_the_module_cache_keeps_its_file(mutant: Make, module: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    linked_copy(module, tree)
    file = tree / "pkg/a.go"
    assert file.samefile(module / "pkg/a.go")
    with applied(tree, mutant(function="Sorter.Count")):
        assert "2*limit" in file.read_text()
        assert (module / "pkg/a.go").read_text() == GO
    assert file.read_text() == GO


def test_the_source_is_restored_after_a_failure(mutant: Make, module: Path, tmp_path: Path) -> None:
    linked_copy(module, tmp_path / "tree")
    with pytest.raises(KeyboardInterrupt), applied(tmp_path / "tree", mutant(function="Sorter.Count")):
        raise KeyboardInterrupt
    assert (tmp_path / "tree/pkg/a.go").read_text() == GO


def test_where_links_are_impossible_files_are_copied(
    monkeypatch: pytest.MonkeyPatch, module: Path, tmp_path: Path
) -> None:
    def across_devices(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", across_devices)
    linked_copy(module, tmp_path / "tree")
    assert (tmp_path / "tree/pkg/a.go").read_text() == GO


def test_a_missing_file_is_named(mutant: Make, tmp_path: Path) -> None:
    with (
        pytest.raises(MutantError, match=r"cannot read pkg/a.go: No such file or directory"),
        applied(tmp_path, mutant()),
    ):
        pytest.fail("there is nothing to change")
