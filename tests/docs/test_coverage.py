"""docs/coverage.md: what others found out, and the scenarios that show it."""

from __future__ import annotations

import re

import pytest

from lockstep.project.loading import load
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Scenario
from lockstep_conformance.hpa import test_rivals as rivals
from tools.coverage import coverage_page, e2e_tests
from tools.pages import COVERAGE_PAGE
from tools.reported import ISSUES, REPORTED, shown_by


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    return load()


async def nothing(_cluster: Cluster) -> None:
    """The body of a scenario that is not run."""


def declared(name: str, source: str, *, issues: tuple[str, ...] = (), features: tuple[str, ...] = ()) -> Scenario:
    module = rivals.__name__
    return Scenario(name, "It MUST.", (source,), nothing, issues, ("hpa",), features, module=module)


def test_the_page_of_coverage_is_up_to_date(scenarios: list[Scenario]) -> None:
    assert COVERAGE_PAGE.read_text(encoding="utf-8") == coverage_page(scenarios), "run python -m tools.pages"


#: How many there are of each letter.
LETTERS = {"R": 23, "H": 29, "V": 17, "X": 22}
VPA = [number for number in REPORTED if number[0] in "VX"]


def test_what_was_reported_is_numbered_without_gaps() -> None:
    assert list(REPORTED) == [f"{letter}{n}" for letter, count in LETTERS.items() for n in range(1, count + 1)]


@pytest.mark.parametrize("number", [number for number in REPORTED if number not in VPA])
def test_what_was_reported_has_a_scenario_that_says_where(number: str, scenarios: list[Scenario]) -> None:
    shown = shown_by(number, scenarios)
    assert shown
    assert all(one.issues for one in shown)


def test_what_was_reported_of_the_vpa_says_where() -> None:
    assert list(ISSUES) == VPA
    named = [issue for issues in ISSUES.values() for issue in issues]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+#\d+", issue) for issue in named)
    assert len(set(named)) == len(named)


def test_scenarios_name_nothing_that_was_not_reported(scenarios: list[Scenario]) -> None:
    numbers = {feature for one in scenarios for feature in one.features if re.fullmatch(r"[A-Z]\d+", feature)}
    assert numbers <= set(REPORTED)


def test_upstream_s_e2e_tests_of_the_hpa_are_all_there(scenarios: list[Scenario]) -> None:
    """By hand from 1.36.3: 20 of resources, 12 of behaviors, 2 of external metrics, the timer, and the upgrade."""
    found = {file.removeprefix("test/e2e/"): len(tests) for file, tests in e2e_tests(scenarios).items()}
    assert found == {
        "autoscaling/autoscaling_timer.go": 1,
        "autoscaling/horizontal_pod_autoscaling.go": 20 + 1,  # one for StatefulSets
        "autoscaling/horizontal_pod_autoscaling.go of 1.34": 1,
        "autoscaling/horizontal_pod_autoscaling_behavior.go": 12,
        "autoscaling/horizontal_pod_autosclaing_external_metrics.go": 2,
        "upgrades/autoscaling/horizontal_pod_autoscalers.go": 1,
    }
    titles = [title for tests in e2e_tests(scenarios).values() for title, _ in tests]
    assert len(set(titles)) == len(titles)


def test_a_scenario_of_an_e2e_test_is_called_so(scenarios: list[Scenario]) -> None:
    named = {one.id for one in scenarios if one.name.startswith("e2e-")}
    assert named == {scenario for tests in e2e_tests(scenarios).values() for _, scenario in tests}


def test_a_page() -> None:
    page = coverage_page(
        [
            declared("hpa/one", "test/e2e/autoscaling/a.go: should a|b", features=("e2e",)),
            declared("hpa/two", "b.go", issues=("kubernetes/kubernetes#1", "owner/name#2"), features=("H5",)),
            declared("hpa/three", "c.go", issues=("kubernetes/autoscaler#2633",)),
        ]
    )
    assert "`test/e2e/autoscaling/a.go`:\n\n| test | scenario |\n|---|---|\n| should a\\|b | `hpa/one` |\n" in page
    issues = (
        "[#1](https://github.com/kubernetes/kubernetes/issues/1), "
        "[owner/name#2](https://github.com/owner/name/issues/2)"
    )
    assert f"| H5 | Syncs every 30 s instead of every 15 s | {issues} | `hpa/two` |\n" in page
    vpa = "[kubernetes/autoscaler#{0}](https://github.com/kubernetes/autoscaler/issues/{0})"
    assert f"| {vpa.format(2633)} | `hpa/three` |\n" in page
    assert f"| V1 | {REPORTED['V1']} | {vpa.format(7726)} | **open** |\n" in page
    module = "[test_rivals.py](../conformance/lockstep_conformance/hpa/test_rivals.py)"
    about = "Two HPAs for the same pods: neither scales, and both report it"
    assert page.endswith(f"\n### HPA\n\n| module | about |\n|---|---|\n| {module} | {about} |\n")
