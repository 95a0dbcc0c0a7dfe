"""The plugin's options, and the run configuration they make. Imports nothing heavy until they are used."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lockstep.report.session import DEFAULTS, Facts

if TYPE_CHECKING:
    from lockstep.environments.options import ClusterOptions

#: Options of pytest-kind, and what `KindOptions` calls them.
_KIND = {
    "cluster_name": "name",
    "kind_image": "image",
    "kind_bin": "kind_bin",
    "kind_kubectl_bin": "kubectl_bin",
    "keep_cluster": "keep",
}


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
    group.addoption(
        "--lockstep-kubeconfig", metavar="FILE", default="", help="kubeconfig: the cluster to use, and no other"
    )
    group.addoption(
        "--lockstep-context", metavar="NAME", default="", help="kubeconfig: the context in it (default: the current)"
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
    chosen = {name: config.getoption(f"lockstep_{name}") for name in names}
    return {**chosen, "update": update, "ground": _ground(config, chosen["environment"])}


def _ground(config: pytest.Config, environment: str) -> ClusterOptions | None:
    """The real cluster that the options name. A kind cluster is named by the options of pytest-kind."""
    if environment == "kubeconfig":
        from lockstep.environments.options import ClusterOptions

        file = config.getoption("lockstep_kubeconfig")
        if not file:
            raise pytest.UsageError(
                "--lockstep-environment kubeconfig needs --lockstep-kubeconfig FILE: "
                "no cluster is used that was not named"
            )
        return ClusterOptions(kubeconfig=file, context=config.getoption("lockstep_context"))
    if environment == "kind":
        from lockstep.environments.options import ClusterOptions, KindOptions

        given: dict[str, Any] = {name: config.getoption(option, None) for option, name in _KIND.items()}
        chosen: dict[str, Any] = {
            name: Path(one) if name.endswith("_bin") else one for name, one in given.items() if one
        }
        return ClusterOptions(kind=KindOptions(**chosen))
    return None


def facts_of(chosen: dict[str, Any]) -> Facts:
    """What the run will be. Raises pytest.UsageError, with one line, on a value nobody knows.

    Nothing is checked, and the harness is not even imported, where no option was given: a session without scenarios
    should not pay for them.
    """
    if chosen == {**asdict(DEFAULTS), "release": None, "update": False, "ground": None}:
        return DEFAULTS
    from lockstep.implementations.registry import UsageError
    from lockstep.runs.config import RunConfig

    try:
        return Facts.of(RunConfig.parse(**chosen))
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error
