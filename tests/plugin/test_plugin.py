"""Scenarios as pytest items: collection, statuses, exit codes, JUnit, reports, pytest-xdist."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep import __version__
from lockstep.environments.options import ClusterOptions, KindOptions
from lockstep.pytest_plugin.options import run_config
from lockstep.runs.config import RunConfig

Project = Callable[..., pytest.RunResult]
ROOT = Path(__file__).parents[2]


def test_header_and_summary_of_a_green_session(project: Project) -> None:
    result = project("replicaset/passes", "replicaset/diverges")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "collected 2 items",
            f"lockstep: {__version__}",
            "lockstep implementation: reference",
            "lockstep environment: in memory, virtual time",
            "lockstep against: recorded upstream 1.36.3",
            "lockstep seed: 0",
            "test_scenarios.py .d *",
            "=* lockstep =*",
            "held to recorded upstream 1.36.3",
            "controller  judged  pass  divergent  fail  error  unsupported",
            "replicaset     2/2     1          1     0      0            0",
            "divergent  replicaset/diverges: KD-001",
            "green: 2 scenarios judged, no unknown difference (1 with a known divergence)",
            "=* 1 passed, 1 divergent in *",
        ]
    )


def test_a_failure_shows_the_explanation_only(project: Project) -> None:
    result = project("replicaset/passes", "replicaset/fails", options=("--lockstep-seed=5",))
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "_* replicaset/fails _*",
            "A controller MUST replicaset/fails.",
            "at +12.345 s:",
            "  status.replicas: expected 3, got 2",
            "not green: 1 scenario failed",
            "to repeat:",
            "  python -m pytest test_scenarios.py::test_fails --lockstep-seed 5",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*NotGreen*")


@pytest.mark.parametrize("name", ["fails", "errs", "unheld", "silent", "crashes"])
def test_whatever_is_not_known_to_be_good_fails(project: Project, name: str) -> None:
    assert project("replicaset/passes", f"replicaset/{name}").ret == 1


def test_a_crash_of_the_harness_keeps_its_traceback(project: Project) -> None:
    result = project("replicaset/crashes")
    result.stdout.fnmatch_lines(["*RuntimeError: the harness fell over*"])


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (("-k", "passes-a"), "test_passes_a"),
        (("-m", "vpa-updater"), "test_passes_b"),
        (("-k", "vpa/passes-b"), "test_passes_b"),
    ],
    ids=["name", "controller-marker", "id"],
)
def test_selection(project: Project, options: tuple[str, ...], chosen: str) -> None:
    result = project("replicaset/passes-a", "vpa/passes-b", options=(*options, "-v"))
    result.stdout.fnmatch_lines([f"test_scenarios.py::{chosen} PASSED*", "*1 passed, 1 deselected*"])


def test_features_are_markers_even_though_markers_are_strict(project: Project) -> None:
    extra = (
        "from lockstep.scenarios.declare import scenario\n"
        "@scenario('replicaset/passes-too', must='It MUST.', source='tests', features=('slow-start',))\n"
        "async def test_with_feature(cluster): ...\n"
    )
    result = project("replicaset/passes", extra=extra, options=("-m", "lockstep and slow-start"))
    result.assert_outcomes(passed=1, deselected=1)


def test_only_names_of_tests_are_collected(project: Project) -> None:
    extra = "helper, = declare('replicaset/fails')\ndef test_plain(): pass"
    assert project("replicaset/passes", extra=extra).ret == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--lockstep-implementation=go", "ERROR: unknown implementation 'go'; known: reference, *"),
        ("--lockstep-environment=moon", "ERROR: unknown environment 'moon'; known: memory, control-plane, kind, *"),
        ("--lockstep-environment=kubeconfig", "ERROR: --lockstep-environment kubeconfig needs --lockstep-kubeconfig *"),
        ("--lockstep-report=missing/r.json", "ERROR: --lockstep-report missing/r.json: there is no folder missing; *"),
    ],
    ids=["implementation", "environment", "kubeconfig", "report"],
)
def test_bad_options_end_in_one_line_and_exit_4(project: Project, option: str, message: str) -> None:
    result = project("replicaset/passes", options=(option,))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert "Traceback" not in result.stderr.str()


def test_recording_is_refused_in_ci(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = project("replicaset/passes", options=("--lockstep-update",))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --lockstep-update is refused where CI is set*"])


def test_recording_is_refused_with_workers(project: Project) -> None:
    result = project("replicaset/passes", options=("--lockstep-update", "-n2"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --lockstep-update does not go with -n*"])


def test_a_session_that_judged_nothing_is_not_green(project: Project) -> None:
    extra = "import pytest\n@pytest.fixture(autouse=True, scope='session')\ndef stop(): pass\n"
    result = project("replicaset/passes", extra=extra, options=("--setup-plan",))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["not green: nothing was judged*"])


def test_a_report_without_scenarios_is_not_green(project: Project) -> None:
    result = project(extra="def test_plain(): pass", options=("--lockstep-report=r.json",))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["not green: nothing was judged"])


def test_a_session_without_scenarios_is_left_alone(project: Project) -> None:
    result = project(extra="def test_plain(): pass")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*not green*")


def test_collecting_only_judges_nothing_and_says_so_by_no_status(project: Project) -> None:
    result = project("replicaset/passes", options=("--collect-only", "-q"))
    assert result.ret == 0
    result.stdout.fnmatch_lines(["test_scenarios.py::test_passes"])


NAMES = tuple(f"{name}-{number}" for name in ("passes", "diverges", "fails") for number in range(4))


def test_report_and_junit_do_not_depend_on_the_number_of_workers(project: Project, pytester: pytest.Pytester) -> None:
    ids = tuple(f"replicaset/{name}" for name in NAMES)
    for workers in ("0", "2"):
        options = (f"-n{workers}", f"--lockstep-report=report{workers}.json", f"--junitxml=junit{workers}.xml")
        result = project(*ids, options=options)
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            [
                f"lockstep: {__version__}",
                "replicaset   12/12     4          4     4      0            0",
                "*4 divergent*",
            ]
        )
    reports = [(pytester.path / f"report{workers}.json").read_bytes() for workers in "02"]
    assert reports[0] == reports[1]
    assert len(json.loads(reports[0])["runs"][0]["scenarios"]) == 12
    properties = [junit_properties(pytester.path / f"junit{workers}.xml") for workers in "02"]
    assert properties[0] == properties[1]
    assert properties[0]["replicaset/diverges-0"] == {
        "lockstep.id": "replicaset/diverges-0",
        "lockstep.implementation": "reference",
        "lockstep.verdict": "divergent",
        "lockstep.writes_compared": "7",
        "lockstep.divergences": "KD-001",
    }


def junit_properties(path: Path) -> dict[str, dict[str, str]]:
    found = {}
    for case in ET.parse(path).getroot().iter("testcase"):  # noqa: S314 - our own file
        values = {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}
        found[values["lockstep.id"]] = values
    return found


@pytest.mark.parametrize("workers", ["0", "2"])
def test_scenarios_that_were_left_out_by_maxfail_are_missed(project: Project, workers: str) -> None:
    ids = tuple(f"replicaset/fails-{number}" for number in range(30))
    result = project(*ids, options=("--maxfail=1", f"-n{workers}"))
    assert result.ret != 0
    assert re.search(r"not green: \d+ scenarios of 30 did not run", result.stdout.str())


def test_the_plugin_is_listed_once_with_entry_point_and_conftest(project: Project) -> None:
    result = project("replicaset/passes", options=("-p", "lockstep.pytest_plugin"))
    assert result.ret == 0
    assert result.stdout.str().count(f"lockstep: {__version__}") == 1


def test_the_plugin_can_be_switched_off(project: Project) -> None:
    result = project("replicaset/passes", options=("-p", "no:lockstep.pytest_plugin"))
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_options_are_documented(project: Project) -> None:
    shown = project(options=("--help",)).stdout.str()
    for name in (
        "implementation",
        "environment",
        "against",
        "release",
        "seed",
        "report",
        "update",
        "kubeconfig",
        "context",
    ):
        assert f"--lockstep-{name}" in shown


def test_a_kind_cluster_is_named_by_the_options_of_pytest_kind(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig(
        "--lockstep-environment=kind",
        "--cluster-name=mine",
        "--kind-image=node:1",
        "--kind-bin=bin/kind",
        "--keep-cluster",
    )
    kind = run_config(config)[0].cluster.kind
    assert kind == KindOptions(name="mine", image="node:1", kind_bin=Path("bin/kind"), keep=True)


def test_a_kubeconfig_is_named_with_its_context(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig(
        "--lockstep-environment=kubeconfig", "--lockstep-kubeconfig=there", "--lockstep-context=test"
    )
    assert run_config(config)[0].cluster == ClusterOptions(kubeconfig="there", context="test")


def test_loading_the_plugin_imports_no_harness() -> None:
    code = "import sys, lockstep.pytest_plugin; print(sorted(m for m in sys.modules if m.startswith('lockstep')))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"lockstep.runs.runner", "lockstep.scenarios.declare", "lockstep.time.loop"} & set(
        ast.literal_eval(run.stdout)
    )


def test_without_options_a_run_is_the_usual_one(pytester: pytest.Pytester) -> None:
    assert run_config(pytester.parseconfig())[0] == RunConfig.parse() == RunConfig()


def test_a_build_is_shown_while_it_goes_on(project: Project) -> None:
    result = project("replicaset/passes", options=("--lockstep-implementation=upstream",))
    assert result.ret == 0
    assert "lockstep: building upstream 1.36.3" in result.stderr.str() + result.stdout.str()
