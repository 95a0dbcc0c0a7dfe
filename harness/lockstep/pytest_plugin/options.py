"""The plugin's options and ini keys, and the run configuration they make. Imports nothing heavy until they are used.

Order of precedence: the option, then the ini key of the same name, then `[tool.lockstep]`, then the default.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lockstep.environments.options import ClusterOptions
    from lockstep.project import Project
    from lockstep.runs.config import RunConfig

#: Options that are also ini keys and settings: name, placeholder and help of each.
_SETTINGS = {
    "implementation": (
        "WHO",
        "Who is tested: reference, upstream, upstream:RELEASE or upstream:path=DIR (default: reference)",
    ),
    "environment": ("WHERE", "The cluster it acts on (default: memory)"),
    "against": (
        "WHAT",
        "What it is held to: recorded upstream behaviour, none, or an implementation (default: recorded)",
    ),
    "release": ("VERSION", "The Kubernetes release whose recordings count"),
    "seed": ("N", "Seed of every choice (default: 0)"),
}
#: Options of pytest-kind, and their names in `KindOptions`.
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
    for name, (placeholder, text) in _SETTINGS.items():
        group.addoption(f"--lockstep-{name}", metavar=placeholder, help=text)
        parser.addini(f"lockstep_{name}", f"As --lockstep-{name}", default="")
    group.addoption("--lockstep-kubeconfig", metavar="FILE", help="kubeconfig: the cluster to use, and no other")
    group.addoption("--lockstep-context", metavar="NAME", help="kubeconfig: the context in it (default: the current)")
    group.addoption("--lockstep-report", metavar="FILE", help="Write a JSON report to FILE")
    group.addoption(
        "--lockstep-update", action="store_true", help="Record upstream's behaviour instead of judging by it"
    )


def is_asked_for(config: pytest.Config) -> bool:
    """Whether options or settings show that this session uses Lockstep."""
    names = [*_SETTINGS, "kubeconfig", "context", "report", "update"]
    if any(config.getoption(f"lockstep_{name}") for name in names) or any(
        config.getini(f"lockstep_{name}") for name in _SETTINGS
    ):
        return True
    file = config.rootpath / "pyproject.toml"
    try:
        return b"[tool.lockstep]" in file.read_bytes()
    except OSError:
        return False


def run_config(config: pytest.Config) -> tuple[RunConfig, Project]:
    """The requested run, and the project. Raises pytest.UsageError on unknown or forbidden values."""
    from lockstep.errors import LockstepError
    from lockstep.project import find_project
    from lockstep.runs.config import RunConfig

    report = config.getoption("lockstep_report")
    if report is not None and not Path(report).absolute().parent.is_dir():
        raise pytest.UsageError(
            f"--lockstep-report {report}: there is no folder {Path(report).parent}; create it first"
        )
    try:
        project = find_project(config.rootpath)
        update = bool(config.getoption("lockstep_update"))
        if update:
            _check_update(config, project)
        chosen = _chosen(config, project)
        cluster = _cluster(config, chosen.get("environment", ""))
        return RunConfig.parse(**chosen, update=update, cluster=cluster), project
    except LockstepError as error:
        raise pytest.UsageError(str(error)) from error


def _chosen(config: pytest.Config, project: Project) -> dict[str, Any]:
    """The settings with a value, by name."""
    chosen: dict[str, Any] = {
        name: value
        for name in _SETTINGS
        if (
            value := config.getoption(f"lockstep_{name}")
            or config.getini(f"lockstep_{name}")
            or project.defaults.get(name)
        )
    }
    if "seed" in chosen:
        try:
            chosen["seed"] = int(chosen["seed"])
        except ValueError as error:
            raise pytest.UsageError(f"--lockstep-seed {chosen['seed']!r} is not a whole number") from error
    return chosen


def _check_update(config: pytest.Config, project: Project) -> None:
    if os.environ.get("CI"):
        raise pytest.UsageError("--lockstep-update is refused where CI is set: a person must see what changes")
    if hasattr(config, "workerinput") or config.getoption("numprocesses", None):
        raise pytest.UsageError("--lockstep-update does not go with -n: record in one process")
    project.writable(project.evidence)


def _cluster(config: pytest.Config, environment: str) -> ClusterOptions:
    """The real cluster that the options name. A kind cluster is named by the options of pytest-kind."""
    from lockstep.environments.options import ClusterOptions, KindOptions

    if environment == "kubeconfig":
        file = config.getoption("lockstep_kubeconfig")
        if not file:
            raise pytest.UsageError(
                "--lockstep-environment kubeconfig needs --lockstep-kubeconfig FILE: "
                "no cluster is used that was not named"
            )
        return ClusterOptions(kubeconfig=file, context=config.getoption("lockstep_context") or "")
    if environment == "kind":
        given: dict[str, Any] = {name: config.getoption(option, None) for option, name in _KIND.items()}
        kind: dict[str, Any] = {name: Path(one) if name.endswith("_bin") else one for name, one in given.items() if one}
        return ClusterOptions(kind=KindOptions(**kind))
    return ClusterOptions()
