"""Many mutants in one Go program: what becomes of the source, and which mutant runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.golang import environment, find_go
from lockstep.implementations.upstream.module import Sources, Tree
from lockstep.quality.mutants import bench, switches, trees
from lockstep.quality.mutants.bench import bench_for
from lockstep.quality.mutants.catalogue import Mutant, MutantError

Make = Callable[..., Mutant]
GO = """package a

const limit = 5

type table struct{ rows int }

func (t *table) Count(x, y int, more ...int) int {
	if x > limit {
		return y
	}
	return t.rows
}

func (t table) Empty() {
	t.rows = 0
}

func each(
	rows []table, do func(row table, at int) (bool, error),
) (found bool, err error) {
	for at, row := range rows {
		if found, err = do(row, at); found {
			return found, err
		}
	}
	return false, nil
}
"""


def test_a_changed_function_stands_beside_the_unmodified_one(mutant: Make) -> None:
    text = switches.switched(GO, [mutant(name="no-limit", function="", find="x > limit", put="true")])
    assert text.startswith(
        GO[: GO.index("\tif x > limit")]
        + """\tif lockstepMutant == "no-limit" {
		return t.Count_no_limit(x, y, more...)
	}
	if x > limit {
		return y
	}
"""
    )
    assert text.endswith(
        """
//line no-limit:1
func (t *table) Count_no_limit(x, y int, more ...int) int {
	if true {
		return y
	}
	return t.rows
}
"""
    )
    assert GO[GO.index("func (t table) Empty") :] in text


@pytest.mark.parametrize(
    ("find", "hands_over"),
    [
        ("t.rows = 0", "\n\t\tt.Empty_no_limit()\n\t\treturn\n\t}\n\tt.rows = 0"),
        ("return false, nil", "\n\t\treturn each_no_limit(rows, do)\n\t}\n\tfor at, row"),
    ],
)
def test_a_call_gives_what_the_function_gives(mutant: Make, find: str, hands_over: str) -> None:
    assert hands_over in switches.switched(GO, [mutant(function="", find=find, put="panic(1)")])


def test_what_cannot_be_passed_on_needs_a_build_of_its_own(mutant: Make, tmp_path: Path) -> None:
    text = GO.replace("Count(x, y int,", "Count(x, _ int,").replace("return y", "return 1")
    (tmp_path / "a.go").write_text(text)
    nameless = mutant(file="a.go", function="", find="x > limit", put="true")
    assert switches.install(tmp_path, [nameless]) == [nameless]
    assert (tmp_path / "a.go").read_text() == text


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/a.go").write_text(GO)
    return tmp_path


def test_what_no_function_holds_needs_a_build_of_its_own(mutant: Make, tree: Path) -> None:
    constant = mutant(name="constant", function="", find="limit = 5", put="limit = 6")
    head = mutant(name="head", function="", find="t table", put="t *table")
    body = mutant(name="body", function="Count", find="x > limit", put="true")
    assert switches.install(tree, [constant, head, body]) == [constant, head]
    assert "lockstepMutant" in (tree / "pkg/a.go").read_text()
    assert (tree / "pkg/zz_lockstep_mutant.go").read_text().startswith("package a\n")


def test_the_switch_is_there_for_a_block(mutant: Make, tree: Path) -> None:
    with switches.on(tree, mutant(name="no-limit")):
        assert (tree / "mutant").read_text() == "no-limit"
    with pytest.raises(KeyboardInterrupt), switches.on(tree, mutant(name="no-limit")):
        raise KeyboardInterrupt
    assert not (tree / "mutant").exists()


@pytest.mark.upstream
def test_the_program_runs_what_is_switched_on(mutant: Make, tree: Path) -> None:
    both = [
        mutant(name="no-limit", file="main.go", function="", find="x > limit", put="true"),
        mutant(name="rows-are-lost", file="main.go", function="", find="return t.rows", put="return 0"),
    ]
    main = GO.replace("package a", "package main") + "\nfunc main() { print((&table{7}).Count(1, 2, 3)) }\n"
    (tree / "main.go").write_text(main)
    (tree / "go.mod").write_text("module a\n\ngo 1.25\n")
    assert switches.install(tree, both) == []
    subprocess.run([find_go().path, "build", "-o", "program", "."], cwd=tree, env=environment(), check=True)

    def says() -> str:
        return subprocess.run([tree / "program"], capture_output=True, text=True, check=True).stderr

    assert says() == "7"
    for one, said in zip(both, ("2", "0"), strict=True):
        with switches.on(tree, one):
            assert says() == said


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch, tree: Path) -> list[str]:
    """What was built of the tree, each time its file pkg/a.go."""
    seen: list[str] = []

    def build(release: str, _: object) -> SimpleNamespace:
        assert release == f"path={tree}"
        seen.append((tree / "pkg/a.go").read_text())
        if "broken" in seen[-1]:
            raise BuildFailed("no-limit:3: undefined: broken")
        folder = tree / f"build-{len(seen)}"
        folder.mkdir()
        return SimpleNamespace(path=folder / "program")

    @contextmanager
    def upstream_tree(*_: object) -> Iterator[Path]:
        yield tree

    monkeypatch.setattr(bench, "build", build)
    monkeypatch.setattr(trees, "upstream_tree", upstream_tree)
    return seen


@pytest.mark.parametrize(
    ("controller", "name"), [("hpa", "kubernetes@v1.36.3"), ("vpa", "vertical-pod-autoscaler@v1.7.3")]
)
def test_a_controller_is_changed_in_its_own_module(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, controller: str, name: str
) -> None:
    modules = [tmp_path / "modules" / one for one in ("kubernetes@v1.36.3", "vertical-pod-autoscaler@v1.7.3")]
    for one in modules:
        (one / "pkg").mkdir(parents=True)
        (one / "pkg/a.go").write_text(GO)
    sources = Sources(*(Tree(one, "h1:x") for one in modules))
    monkeypatch.setattr(trees, "cache_root", lambda: tmp_path / "lockstep/upstream")
    monkeypatch.setattr(trees, "find_go", lambda _: None)
    monkeypatch.setattr("lockstep.implementations.upstream.module.fetch", lambda *_: sources)
    with trees.upstream_tree("1.36.3", controller, lambda _: None) as made:
        assert made == tmp_path / "lockstep/mutants" / name
        assert (made / "pkg/a.go").samefile(tmp_path / "modules" / name / "pkg/a.go")
    assert not made.exists()


def test_one_build_serves_all_that_have_a_switch(mutant: Make, tree: Path, builds: list[str]) -> None:
    said: list[str] = []
    switched = mutant(name="body", function="Count")
    constant = replace(switched, name="constant", function="", find="limit = 5", put="limit = 6")
    with bench_for("upstream", "1.36.3", [switched, constant], said.append) as made:
        assert made.implementation == f"upstream:path={tree}"
        with made.ready(None):
            assert not (tree / "build-1/mutant").exists()
        with made.ready(switched):
            assert (tree / "build-1/mutant").read_text() == "body"
        assert len(builds) == 1
        with made.ready(constant):
            assert "limit = 6" in builds[1]
        assert not (tree / "build-2").exists()
    assert not (tree / "build-1").exists()


def test_a_mutant_that_does_not_compile_is_named(mutant: Make, builds: list[str]) -> None:
    said: list[str] = []
    wrong = mutant(function="Count", put="broken")
    with (
        pytest.raises(MutantError, match=r"with its mutants does not compile, so it proves nothing: no-limit:3: undef"),
        bench_for("upstream", "1.36.3", [wrong], said.append),
    ):
        pytest.fail("there is nothing to try")
    assert len(builds) == 1
