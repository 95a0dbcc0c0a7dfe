"""docs/rules/: what upstream's functions demand, and what holds a controller to it."""

from __future__ import annotations

import re

import pytest

from lockstep.project.loading import load
from lockstep.quality.mutants.catalogue import KINDS, controllers
from lockstep.quality.mutants.catalogue import load as catalogue
from lockstep.scenarios.declare import Scenario
from tools.pages import RULES_PAGES
from tools.rules import functions_of, rules_page


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    return load()


def test_each_controller_with_mutants_has_a_page() -> None:
    assert sorted(RULES_PAGES) == controllers()


@pytest.mark.parametrize("name", RULES_PAGES)
def test_a_page_of_rules_is_up_to_date(name: str, scenarios: list[Scenario]) -> None:
    text = RULES_PAGES[name].read_text(encoding="utf-8")
    assert text == rules_page(name, scenarios), "run python -m tools.pages"


def test_every_scenario_and_every_mutant_is_on_a_page(scenarios: list[Scenario]) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in RULES_PAGES.values())
    named = set(re.findall(r"`[^`\n]+`", text))
    mutants = [one.name for kind in KINDS for name in RULES_PAGES for one in catalogue(kind, name).mutants]
    assert {f"`{one.id}`" for one in scenarios} <= named
    assert {f"`{name}`" for name in mutants} <= named


def test_a_source_is_a_file_of_upstream_and_what_is_meant_in_it(scenarios: list[Scenario]) -> None:
    """Not a document that no reader has. A saved case cites itself; a module outside of Kubernetes has no file."""
    cited = {file: one.id for one in scenarios for file, _ in functions_of(one)}
    elsewhere = {"golang.org/x/time/rate"}
    strange = {
        file: scenario
        for file, scenario in cited.items()
        if not re.fullmatch(r"[\w./-]+/\w+\.go( of 1\.34)?|regressions/.+\.json", file)
    }
    assert strange.keys() == elsewhere
