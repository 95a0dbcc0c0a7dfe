"""The plugin's options, and the run configuration they make. Imports nothing heavy until they are used."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from harness.report.session import DEFAULTS, Facts


def add_options(parser: pytest.Parser) -> None:
    """Add the option group; the values are checked by `run_config`."""
    group = parser.getgroup("lockstep", "Lockstep: scenarios for Kubernetes controllers")
    group.addoption(
        "--lockstep-implementation",
        metavar="WHO",
        default=DEFAULTS.implementation,
        help="Who is tested: reference, upstream, upstream:RELEASE or upstream:path=DIR (default: reference)",
    )
    group.addoption(
        "--lockstep-environment",
        metavar="WHERE",
        default=DEFAULTS.environment,
        help="The cluster it acts on (default: memory)",
    )
    group.addoption(
        "--lockstep-against",
        metavar="WHAT",
        default=DEFAULTS.against,
        help="What it is held to: recorded upstream behaviour, none, or an implementation (default: recorded)",
    )
    group.addoption("--lockstep-release", metavar="VERSION", help="The Kubernetes release whose recordings count")
    group.addoption(
        "--lockstep-seed", metavar="N", type=int, default=DEFAULTS.seed, help="Seed of every choice (default: 0)"
    )
    group.addoption("--lockstep-report", metavar="FILE", help="Write a JSON report to FILE")
    group.addoption(
        "--lockstep-update", action="store_true", help="Record upstream's behaviour instead of judging by it"
    )


def settings(config: pytest.Config) -> dict[str, Any]:
    """The arguments of `RunConfig.parse` that the options make. Raises pytest.UsageError if they do not go together."""
    update = bool(config.getoption("lockstep_update"))
    if update and os.environ.get("CI"):
        raise pytest.UsageError("--lockstep-update is refused where CI is set: a person must see what changes")
    if update and (hasattr(config, "workerinput") or config.getoption("numprocesses", None)):
        raise pytest.UsageError("--lockstep-update does not go with -n: record in one process")
    report = config.getoption("lockstep_report")
    if report is not None and not Path(report).absolute().parent.is_dir():
        raise pytest.UsageError(
            f"--lockstep-report {report}: there is no folder {Path(report).parent}; create it first"
        )
    names = ("implementation", "environment", "against", "release", "seed")
    return {**{name: config.getoption(f"lockstep_{name}") for name in names}, "update": update}


def facts_of(chosen: dict[str, Any]) -> Facts:
    """What the run will be. Raises pytest.UsageError, with one line, on a value nobody knows.

    Nothing is checked, and the harness is not even imported, where no option was given: a session without scenarios
    should not pay for them.
    """
    if chosen == {**asdict(DEFAULTS), "release": None, "update": False}:
        return DEFAULTS
    from harness.runner import RunConfig, UsageError

    try:
        return Facts.of(RunConfig.parse(**chosen))
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error
