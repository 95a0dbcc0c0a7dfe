"""What the documents show is run: scenarios, faults, commands, names and links."""

from __future__ import annotations

import fnmatch
import importlib
import importlib.util
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lockstep.cli import main, root
from lockstep.network import Faults
from lockstep.project import find_project, index, loading
from lockstep.project.loading import load, scenarios_of
from lockstep.quality.fidelity.declaring import load as api_scenarios
from lockstep.quality.mutants.catalogue import load as catalogue
from lockstep.quality.mutants.mutation import applied
from lockstep.quality.mutants.trees import reference_tree
from lockstep.runs.config import RunConfig
from lockstep.runs.outcome import Outcome
from lockstep.runs.runner import Runner
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Scenario, scenario
from lockstep.world import Kubelet
from tests.fakes import runner
from tools.pages import LIMITS_PAGE, limits_page

ROOT = Path(__file__).parents[2]
#: The wrong controller whose failure the pages show.
MUTANT = "terminating-pods-are-not-counted"
_HPA = ROOT / "conformance/lockstep_conformance/hpa"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Pages whose commands run one after the other in a folder of their own: see test_walks.py.
WALKED = [page for page in PAGES if page.name.startswith("start-") or page.name == "own-repository.md"]
#: Pages that name files of this repository, not of their readers.
OURS = [page for page in PAGES if page not in WALKED]


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.stem}-{self.line}"


def blocks(language: str) -> list[Block]:
    return [block for page in PAGES for block in _blocks(page) if block.language == language]


def _blocks(page: Path) -> Iterator[Block]:
    opened: tuple[int, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```") and opened is None:
            opened, lines = (number, line.removeprefix("```").strip()), []
        elif line.startswith("```"):
            assert opened is not None
            yield Block(page, *opened, "\n".join(lines) + "\n")
            opened = None
        else:
            lines.append(line)
    assert opened is None, f"{page.name}: the block of line {opened} never ends"


def section(page: str, heading: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##? |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/{page} has no section {heading!r}"
    return found[1]


def load_block(block: Block, folder: Path) -> ModuleType:
    """The block as a module; it must lie in a file, because a scenario knows its line."""
    name = f"document_{block.name.replace('-', '_').lower()}"
    path = folder / f"{name}.py"
    path.write_text(block.text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def judge(one: Scenario) -> Outcome:
    with Runner(RunConfig(against="none"), find_project()) as runner:
        return runner.run(one)


# -- scenarios ---------------------------------------------------------------------------------------------------------


def test_the_documents_show_scenarios() -> None:
    pages = {block.page.name for block in blocks("python")}
    assert {"start-autoscaler.md", "scenarios.md", "faults.md", "metrics.md"} <= pages


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.name)
def test_a_python_block_holds_scenarios_that_pass(block: Block, tmp_path: Path) -> None:
    declared = scenarios_of(load_block(block, tmp_path))
    assert declared, f"{block.name}: show a whole scenario, so that it can be run"
    for one in declared:
        outcome = judge(one)
        assert (outcome.verdict, outcome.message) == ("pass", ""), one.id


# -- faults ------------------------------------------------------------------------------------------------------------


def fault_calls() -> list[str]:
    rows = [line for line in section("faults.md", "Catalogue").splitlines() if line.startswith("| `")]
    return [row.split("|")[1].strip().strip("`") for row in rows]


@pytest.mark.parametrize("call", fault_calls())
def test_a_fault_of_the_catalogue_can_be_called_and_acts(call: str) -> None:
    is_rule = ".faults." in call or ".crash_at(" in call
    lines = ["async def act(cluster, pick):", f"    return {call}"]
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)  # noqa: S102 - it is our own page

    @scenario("replicaset/catalogue", must="A fault MUST act.", source="docs/faults.md")
    async def body(cluster: Cluster) -> None:
        from lockstep import objects
        from lockstep.world import pick

        await cluster.create(objects.replica_set("web", 2))
        await cluster.settle()
        fault = await space["act"](cluster, pick)
        await cluster.scale("web", 4)
        await cluster.run(60)
        if cluster.controllers_running:
            await cluster.crash()
        await cluster.start()
        await cluster.run(60)
        cluster.expect_true("the fault was met", not is_rule or fault.hits)

    outcome = judge(body)
    assert (outcome.verdict, outcome.message) == ("pass", "")


def test_the_catalogue_is_whole() -> None:
    rules = {name for name in vars(Faults) if not name.startswith("_")} - {"add", "hit", "clear"}
    watches = {"set_lag", "hold", "release", "drop_watch", "expire_watch"}
    controllers = {"crash", "start", "crash_at"}
    kubelet = {name for name, value in vars(Kubelet).items() if inspect.isfunction(value) and not name.startswith("_")}
    kubelet -= {"next_due", "pending", "observe"}
    shown = " ".join(fault_calls())
    missing = [name for name in sorted(rules | watches | controllers | kubelet) if f".{name}(" not in shown]
    assert not missing


# -- commands ----------------------------------------------------------------------------------------------------------


def commands(pages: Sequence[Path] = PAGES) -> list[str]:
    shown = [
        line.removeprefix("$ ")
        for block in blocks("console")
        for line in block.text.splitlines()
        if line[:2] == "$ " and block.page in pages
    ]
    for page in pages:
        outside = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        shown += re.findall(r"`(lockstep [^`\n]+)`", outside)
    parts = [part.strip() for line in shown for part in re.split(r"&&|;", line)]
    ours = [part for part in parts if re.match(r"(\S*/)?lockstep ", part)]
    return sorted({re.sub(r"^\S*/lockstep ", "lockstep ", part) for part in ours})


def is_cheap(words: list[str]) -> bool:
    """Whether a command needs neither Go nor long: it lists things, or runs some scenarios by themselves."""
    if words[0] in ("list", "--version", "--help"):
        return True
    live = any("upstream" in word for word in words)
    return words[0] == "run" and "none" in words and not words[1].startswith("-") and not live


@pytest.mark.parametrize("command", commands())
def test_a_command_exists_with_its_options(command: str) -> None:
    words = [str(ROOT / "README.md") if word in ("FILE", "A.json", "B.json") else word for word in shlex.split(command)]
    context = root.make_context("lockstep", words[1:], resilient_parsing=words[1].startswith("-"))
    if words[1].startswith("-"):
        return
    _, verb, rest = root.resolve_command(context, words[1:])
    assert verb is not None
    if rest:  # else the page only names the verb
        verb.make_context(words[1], list(rest), parent=context)


def test_patterns_that_are_shown_match_something(tmp_path: Path) -> None:
    shown = [one.id for block in blocks("python") for one in scenarios_of(load_block(block, tmp_path))]
    known = shown + [one.id for one in load()]
    for command in commands():
        for word in shlex.split(command):
            if word.startswith(("hpa/", "replicaset/", "vpa-")) and "/my-" not in word:
                assert fnmatch.filter(known, word), f"{command}: no scenario is called {word}"


@pytest.mark.parametrize("command", [one for one in commands(OURS) if is_cheap(shlex.split(one)[1:])])
def test_a_cheap_command_succeeds(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = {one.id: one for block in blocks("python") for one in scenarios_of(load_block(block, tmp_path))}
    there = {one.id: one for one in load()}
    both = {**there, **shown}
    monkeypatch.setattr(loading, "load", loading.load)  # both come back at the end
    monkeypatch.setattr(index, "suite_entries", index.suite_entries)
    runner.stand_in([both[key] for key in sorted(both)])
    assert main(shlex.split(command)[1:]) == 0


# -- a failure, as the page shows it -----------------------------------------------------------------------------------


def test_the_failure_that_is_shown_is_what_lockstep_says() -> None:
    """A scenario of the suite, on a mutant of the reference that forgets terminating pods."""
    shown = [block for block in blocks("text") if "Reproduce: lockstep run" in block.text]
    assert {block.page.name for block in shown} == {"README.md", "scenarios.md"}
    [text] = {block.text for block in shown}
    [mutant] = [one for one in catalogue("reference", "replicaset").mutants if one.name == MUTANT]
    with reference_tree() as tree, applied(tree, mutant):
        run = subprocess.run(
            [sys.executable, "-m", "lockstep.cli", "run", text.split("\n")[0]],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), *sys.path])},
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 1, run.stderr
    assert text in run.stdout


def test_the_run_that_is_shown_looks_like_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Its words and tables; the figures grow with the scenarios."""
    [sample] = [block for block in blocks("text") if "held to recorded" in block.text]
    assert main(["run", "replicaset/scale-*"]) == 0
    assert _shape(sample.text) == _shape(capsys.readouterr().out)[-len(_shape(sample.text)) :]
    judged = int(re.findall(r"green: (\d+) scenarios", sample.text)[0])
    assert 170 < judged <= len(load())


def _shape(text: str) -> list[str]:
    """The lines without figures, spacing and rows of tables."""
    lines = [re.sub(r"\s+", " ", re.sub(r"\b\d+ scenarios", "N scenarios", line)) for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(("hpa", "replicaset", "vpa", "total"))]


# -- names and links ---------------------------------------------------------------------------------------------------


def reference_names() -> list[str]:
    text = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
    return sorted(name for name in set(re.findall(r"`([\w/]+\.py::[\w.]+)`", text)) if not name.startswith("tests/"))


def test_functions_of_upstream_are_mapped() -> None:
    assert len(reference_names()) > 30


@pytest.mark.parametrize("name", reference_names())
def test_a_function_of_the_reference_exists(name: str) -> None:
    path, _, attributes = name.partition("::")
    found: Any = importlib.import_module("lockstep_reference." + path.removesuffix(".py").replace("/", "."))
    for attribute in attributes.split("."):
        found = getattr(found, attribute)
    assert callable(found)


def test_every_finding_is_held_by_something_that_exists() -> None:
    known = {one.id for one in load()} | {one.id for one in api_scenarios()}
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    entries = re.findall(r"^## F\d+\. .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    numbers = [int(entry.split(".")[0].removeprefix("## F")) for entry in entries]
    assert numbers == list(range(1, len(entries) + 1))
    assert len(entries) >= 20
    for entry in entries:
        title = entry.splitlines()[0]
        held = re.search(r"^\*\*Held by\.\*\* (.+?)(?=\n\n|\Z)", entry, re.MULTILINE | re.DOTALL)
        assert held, f"{title}: say what holds it"
        names = re.findall(r"`([^`]+)`", held[1])
        assert names, f"{title}: name a scenario, a regression or a test"
        for name in names:
            assert name in known or _is_test(name), f"{title}: {name} does not exist"


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_scenarios_and_tests_that_are_named_exist(page: Path, tmp_path: Path) -> None:
    shown = {one.id for block in blocks("python") for one in scenarios_of(load_block(block, tmp_path))}
    known = shown | {one.id for one in load()}
    text = page.read_text(encoding="utf-8")
    scenarios = re.findall(r"`((?:replicaset|hpa|vpa-recommender|vpa-updater|vpa-admission)/[a-z0-9-]+)`", text)
    tests = re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", text)
    missing = [name for name in scenarios if name not in known] + [name for name in tests if not _is_test(name)]
    assert not missing


def _is_test(name: str) -> bool:
    path, _, function = name.partition("::")
    file = ROOT / path
    return file.is_file() and (not function or f"def {function}(" in file.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors that the headings of a page make."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        other = (page.parent / target).resolve() if target else page
        assert other.exists(), f"{page.name}: {target} is not there"
        assert not anchor or anchor in anchors(other), f"{page.name}: {target} has no heading for #{anchor}"


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_paths_that_are_named_exist(page: Path) -> None:
    """Files of this repository in backticks; what a user makes is not among them."""
    tops = "harness|reference_impl|conformance|fixtures|tests|docs"
    for path in re.findall(rf"`((?:{tops})/[\w./-]*\.(?:py|go|md|yaml))`", page.read_text(encoding="utf-8")):
        if "my_" not in path and "fixtures/lockstep_fixtures/" not in path:
            assert (ROOT / path).exists(), f"{page.name}: {path} is not there"


def test_modules_of_the_hpa_that_are_named_exist() -> None:
    lines = section("scenarios.md", "Scenarios of the HPA").splitlines()
    rows = [[re.findall(r"`(\w+)`", cell) for cell in line.split("|")[1:3]] for line in lines if line.startswith("| ")]
    helpers = [name for first, _ in rows for name in first]
    tests = [f"test_{name}" for first, second in rows if not first for name in second]
    assert len(helpers) > 5
    assert len(tests) > 40
    missing = [name for name in (*helpers, *tests) if not (_HPA / f"{name}.py").is_file()]
    assert not missing


def test_modules_of_the_vpa_that_are_named_exist() -> None:
    folder = _HPA.parent / "vpa"
    named = set(re.findall(r"`(\w+/test_\w+)`", section("scenarios.md", "Scenarios of the VPA")))
    missing = [name for name in sorted(named) if not (folder / f"{name}.py").is_file()]
    assert not missing
    assert {name.partition("/")[0] for name in named} == {"recommender", "updater", "admission", "loop"}


# -- generated pages ---------------------------------------------------------------------------------------------------


def test_the_page_of_limits_is_up_to_date() -> None:
    assert LIMITS_PAGE.read_text(encoding="utf-8") == limits_page(), "run python -m tools.pages"
