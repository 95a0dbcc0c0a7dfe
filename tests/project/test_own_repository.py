"""A user's repository: scenarios, evidence and settings of its own, with the real command line and the real pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.kit import ROOT, SCENARIO, lockstep, pytest_in, run


def test_own_scenarios_run_by_default_by_path_by_id_and_by_name(repository: Path) -> None:
    for words in (
        (),
        ("tests",),
        ("tests/",),
        ("tests/test_mine.py",),
        ("tests/test_mine.py::test_own",),
        ("myteam/*",),
    ):
        result = lockstep(repository, "run", *words)
        assert (result.returncode, result.stderr) == (0, ""), (words, result)
        assert "green: 1 scenario judged" in result.stdout


def test_ids_are_listed_and_the_suite_is_one_option_away(repository: Path) -> None:
    assert "myteam/own" in lockstep(repository, "list").stdout
    assert "789 scenarios" in lockstep(repository, "list", "--suite").stdout


def test_without_settings_the_suite_is_what_runs(tmp_path: Path) -> None:
    result = lockstep(tmp_path, "run", "replicaset/crash-after-a-create")
    assert (result.returncode, "green: 1 scenario judged" in result.stdout) == (0, True)


def test_a_path_needs_no_settings(repository: Path) -> None:
    (repository / "pyproject.toml").unlink()
    assert lockstep(repository, "run", "tests/test_mine.py", "--against", "none").returncode == 0
    held = lockstep(repository, "run", "tests/test_mine.py")
    assert held.returncode == 1
    assert "myteam/own has no recording of upstream 1.36.3" in held.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tests/test_none.py",), "there is no file or folder tests/test_none.py"),
        (("tests/test_mine.py::test_other",), "no scenario at 'test_other' in tests/test_mine.py"),
        (("myteam/owm",), "no scenario matches 'myteam/owm'; did you mean myteam/own?"),
    ],
)
def test_what_matches_nothing_is_said_in_one_line(repository: Path, words: tuple[str, ...], said: str) -> None:
    result = lockstep(repository, "run", *words)
    assert result.returncode == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_setting_that_nobody_knows(repository: Path) -> None:
    (repository / "pyproject.toml").write_text('[tool.lockstep]\nscenario = ["tests"]\n')
    result = lockstep(repository, "run")
    assert result.returncode == 2
    assert "[tool.lockstep] has no setting 'scenario'; known: against" in result.stderr


def test_two_files_of_one_name_and_helpers_beside_them(repository: Path) -> None:
    for name in ("a", "b"):
        folder = repository / "tests" / name
        folder.mkdir()
        (folder / "test_mine.py").write_text(SCENARIO.format(id=f"myteam/{name}", name=name, pods=2))
    (repository / "tests/kit.py").write_text("PODS = 2\n")
    text = SCENARIO.format(id="myteam/kit", name="kit", pods="PODS").replace(
        "from lockstep", "from kit import PODS\nfrom lockstep", 1
    )
    (repository / "tests/test_kit.py").write_text(text)
    result = lockstep(repository, "run")
    assert "green: 4 scenarios judged" in result.stdout, result


def test_an_id_declared_twice_names_both_lines(repository: Path) -> None:
    (repository / "tests/test_again.py").write_text(SCENARIO.format(id="myteam/own", name="again", pods=2))
    result = lockstep(repository, "run")
    assert result.returncode == 2
    assert "declared twice: tests/test_again.py:4 and tests/test_mine.py:4; rename one" in result.stderr


@pytest.mark.parametrize("ending", ["raise SystemExit(0)", "import sys; sys.exit(0)", "1/0", "raise GeneratorExit"])
def test_a_module_that_cannot_be_imported_is_named(repository: Path, ending: str) -> None:
    (repository / "tests/test_bad.py").write_text(f"import lockstep\n{ending}\n")
    result = lockstep(repository, "run")
    assert result.returncode == 2
    assert "cannot import" in result.stderr
    assert "tests/test_bad.py" in result.stderr


def test_a_failure_and_an_error_name_the_line_of_the_user(repository: Path) -> None:
    (repository / "tests/test_mine.py").write_text(SCENARIO.format(id="myteam/own", name="own", pods=3))
    assert "expected 3, got 2 (at +20.000 s, tests/test_mine.py:8)" in lockstep(repository, "run").stdout
    (repository / "tests/test_mine.py").write_text(SCENARIO.format(id="myteam/own", name="own", pods="1 / 0"))
    assert "ZeroDivisionError: division by zero (tests/test_mine.py:8)" in lockstep(repository, "run").stdout


@pytest.mark.parametrize("mode", ["prepend", "importlib"])
@pytest.mark.parametrize("more", [(), ("-n2",)], ids=["one process", "xdist"])
def test_pytest_runs_them_too(repository: Path, mode: str, more: tuple[str, ...]) -> None:
    (repository / "harness").mkdir()
    (repository / "harness/__init__.py").write_text("raise SystemExit('the harness of this project, not of Lockstep')")
    result = pytest_in(repository, f"--import-mode={mode}", "-q", *more)
    assert result.returncode == 0, result.stdout
    assert "green: 1 scenario judged, no unknown difference" in result.stdout
    assert "the scenarios' own assertions only" in result.stdout


def test_an_option_beats_an_ini_key_and_that_a_setting(repository: Path) -> None:
    (repository / "pytest.ini").write_text("[pytest]\nlockstep_seed = 3\n")
    assert "lockstep seed: 3" in pytest_in(repository).stdout
    assert "lockstep seed: 5" in pytest_in(repository, "--lockstep-seed=5").stdout
    assert "lockstep against: the scenarios' own assertions only" in pytest_in(repository).stdout


def test_evidence_is_never_written_outside_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lockstep]\nrecordings = "../elsewhere"\n')
    (tmp_path / "tests").mkdir()
    result = pytest_in(tmp_path, "--lockstep-update", "--lockstep-implementation=upstream")
    assert result.returncode == 4
    assert "is never written" in result.stderr


def test_init_makes_an_example_that_runs(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\n# a remark\n')
    result = lockstep(tmp_path, "init")
    assert (result.returncode, result.stderr) == (0, "")
    assert (
        (tmp_path / "pyproject.toml").read_text().startswith('[project]\nname = "mine"\n# a remark\n\n[tool.lockstep]')
    )
    assert "green: 1 scenario judged" in lockstep(tmp_path, "run").stdout
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and ".pytest" not in str(path)}
    assert "kept as it is" in lockstep(tmp_path, "init").stdout
    assert {path: path.read_bytes() for path in before} == before


def test_mutants_are_tried_on_own_scenarios_without_go(repository: Path) -> None:
    result = lockstep(
        repository, "mutants", "reference/replicaset/*", "--controller", "replicaset", "--of", "reference"
    )
    assert "caught" in result.stdout
    assert "myteam/own" in result.stdout
    assert "no scenario is about this controller" in lockstep(repository, "mutants", "--controller", "hpa").stderr


@pytest.mark.parametrize("more", [(), ("-n2",)], ids=["one process", "xdist"])
def test_a_project_without_scenarios_does_not_notice_lockstep(tmp_path: Path, more: tuple[str, ...]) -> None:
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness/__init__.py").write_text("")
    (tmp_path / "harness/test_own.py").write_text(
        "from harness import __name__ as name\n\ndef test_own():\n    assert name\n"
    )
    result = pytest_in(tmp_path, *more)
    assert result.returncode == 0, result.stdout
    assert "1 passed" in result.stdout
    assert "lockstep" not in result.stdout.replace("kube-lockstep", "").replace("lockstep.pytest_plugin", "")


def test_settings_may_name_any_folder(repository: Path) -> None:
    (repository / "conformance/hpa").mkdir(parents=True)
    (repository / "tests/test_mine.py").rename(repository / "conformance/hpa/test_mine.py")
    (repository / "pyproject.toml").write_text('[tool.lockstep]\nscenarios = ["conformance"]\nagainst = "none"\n')
    assert "green: 1 scenario judged" in lockstep(repository, "run").stdout


def test_saved_cases_run_with_the_scenarios(repository: Path) -> None:
    [case, *_] = sorted((ROOT / "fixtures/lockstep_fixtures/regressions/replicaset").glob("*.json"))
    kept = repository / "lockstep/regressions/replicaset" / case.name
    kept.parent.mkdir(parents=True)
    kept.write_bytes(case.read_bytes())
    assert f"replicaset/regression-{case.stem}" in lockstep(repository, "list").stdout
    assert "green: 2 scenarios judged" in lockstep(repository, "run").stdout
    assert "green: 2 scenarios judged" in pytest_in(repository).stdout
    kept.write_text("{}")
    damaged = lockstep(repository, "run")
    assert damaged.returncode == 2
    assert f"{case.name} is damaged" in damaged.stderr


def test_what_nobody_has_tried_on_real_clusters_is_not_called_fit(repository: Path) -> None:
    assert "real clusters: not tried" in lockstep(repository, "list").stdout


@pytest.mark.upstream
def test_recordings_of_own_scenarios(repository: Path) -> None:
    (repository / "pyproject.toml").write_text('[tool.lockstep]\nscenarios = ["tests"]\n')
    assert "myteam/own has no recording of upstream 1.36.3" in lockstep(repository, "run").stdout
    recorded = lockstep(repository, "record", "myteam/own", "--release", "1.36.3")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    file = repository / "lockstep/recordings/1.36.3/myteam/own.json"
    assert file.is_file()
    assert "held to recorded upstream 1.36.3" in lockstep(repository, "run").stdout
    assert "green: 1 scenario judged" in pytest_in(repository).stdout
    file.unlink()
    assert pytest_in(repository, "--lockstep-update", "--lockstep-implementation=upstream").returncode == 0
    assert file.is_file()


@pytest.mark.parametrize(
    "ending", ["raise SystemExit(0)", "raise GeneratorExit", "import asyncio; raise asyncio.CancelledError"]
)
def test_a_scenario_that_ends_the_program_is_an_error(repository: Path, ending: str) -> None:
    file = repository / "tests/test_mine.py"
    file.write_text(file.read_text().replace("    await cluster.settle()", f"    {ending}"))
    alone = lockstep(repository, "run")
    assert (alone.returncode, "1 scenario ended in an error" in alone.stdout) == (1, True), alone
    (repository / "tests/test_other.py").write_text(SCENARIO.format(id="myteam/other", name="other", pods=2))
    both = lockstep(repository, "run")
    assert (both.returncode, "judged  pass" in both.stdout) == (1, True), both
    assert "tests/test_mine.py:7" in both.stdout


def test_marks_of_pytest_above_and_below_are_kept(repository: Path) -> None:
    file = repository / "tests/test_mine.py"
    above = file.read_text().replace("@scenario", "import pytest\n@pytest.mark.slow\n@scenario")
    file.write_text(above.replace("async def", "@pytest.mark.small\nasync def"))
    (repository / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: slow\n  small: small\n")
    assert "green: 1 scenario judged" in lockstep(repository, "run").stdout
    for mark in ("slow", "small"):
        assert "1 passed" in pytest_in(repository, "-m", mark).stdout
        assert "1 deselected" in pytest_in(repository, "-m", f"not {mark}").stdout


def test_a_function_that_hides_another_scenario(repository: Path) -> None:
    file = repository / "tests/test_mine.py"
    file.write_text(file.read_text() + SCENARIO.format(id="myteam/second", name="own", pods=2))
    result = lockstep(repository, "run")
    assert result.returncode == 2
    assert "its function test_own is also that of myteam/own" in result.stderr


@pytest.mark.parametrize("head", ["def test_own(cluster)", "async def test_own(cluster, more)", "async def test_own()"])
def test_a_function_that_cannot_be_a_scenario(repository: Path, head: str) -> None:
    file = repository / "tests/test_mine.py"
    text = file.read_text().replace("async def test_own(cluster: Cluster) -> None", head)
    file.write_text(text.replace("await ", ""))
    result = lockstep(repository, "run")
    assert result.returncode == 2
    assert "write `async def test_own(cluster: Cluster)`" in result.stderr


def test_files_that_have_no_scenarios_are_left_alone(repository: Path) -> None:
    (repository / "tests/test_old.py").write_text("import not_installed_here\n")
    assert "green: 1 scenario judged" in lockstep(repository, "run").stdout


def test_an_id_that_pytest_meets_twice(repository: Path) -> None:
    (repository / "tests/test_again.py").write_text(SCENARIO.format(id="myteam/own", name="again", pods=2))
    result = pytest_in(repository)
    assert result.returncode == 4
    assert "scenario myteam/own is there twice" in result.stderr


def test_nothing_is_recorded_without_a_table(repository: Path) -> None:
    (repository / "pyproject.toml").unlink()
    result = pytest_in(repository, "--lockstep-update", "--lockstep-implementation=upstream")
    assert result.returncode == 4
    assert "has no pyproject.toml with [tool.lockstep]" in result.stderr


def test_paths_that_are_not_below_the_project(repository: Path) -> None:
    (repository / "pyproject.toml").write_text('[tool.lockstep]\nscenarios = ["/tmp"]\n')
    result = lockstep(repository, "run")
    assert result.returncode == 2
    assert "which is not a path below" in result.stderr


def test_init_keeps_line_ends_and_refuses_what_it_would_break(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(b"[project]\r\nname = 'x'\r\n")
    assert lockstep(tmp_path, "init").returncode == 0
    assert b"\n" not in file.read_bytes().replace(b"\r\n", b"")
    file.write_text("tool = {other = {x = 1}}\n")
    refused = lockstep(tmp_path, "init")
    assert refused.returncode == 2
    assert file.read_text() == "tool = {other = {x = 1}}\n"


@pytest.mark.parametrize("damage", ["[1]", '"abc"', "[[]]", "{}", "[]", "null", "{"])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: str) -> None:
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert "789 scenarios" in run(tmp_path, "lockstep.cli", "list", **home).stdout
    [index] = (tmp_path / "cache/lockstep/index").iterdir()
    index.write_text(damage)
    assert "789 scenarios" in run(tmp_path, "lockstep.cli", "list", **home).stdout


def test_no_columns_are_eighty(repository: Path) -> None:
    assert "green: 1 scenario judged" in run(repository, "lockstep.cli", "run", COLUMNS="0").stdout
