"""Options that several verbs share, and the run configuration they make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lockstep.environments.options import ClusterOptions
from lockstep.report.session import DEFAULTS

if TYPE_CHECKING:
    from lockstep.environments.options import KindOptions
    from lockstep.runs.config import RunConfig

_F = TypeVar("_F", bound=Callable[..., Any])

controller = click.option(
    "--controller", metavar="NAME", help="Only the scenarios of this controller; vpa means all three of it."
)
suite = click.option(
    "--suite", is_flag=True, help="Choose from the built-in suite, also where the project has its own."
)
implementation = click.option(
    "--implementation",
    metavar="WHO",
    default=DEFAULTS.implementation,
    show_default=True,
    help="Who is tested: reference, upstream, upstream:RELEASE, upstream:path=DIR, or a mix: WHO,CONTROLLER=WHO.",
)
environment = click.option(
    "--environment",
    metavar="WHERE",
    default=DEFAULTS.environment,
    show_default=True,
    help="The cluster it acts on: memory, control-plane, kind, or kubeconfig (an existing one).",
)
jobs = click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help="Scenarios that run at a time on a real cluster, each in namespaces of its own.",
)
kubeconfig = click.option(
    "--kubeconfig",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="The cluster of --environment kubeconfig; no other is ever touched.",
)
context = click.option("--context", metavar="NAME", default="", help="Its context.  [default: the current one]")
against = click.option(
    "--against",
    metavar="WHAT",
    default=DEFAULTS.against,
    show_default=True,
    help="What it is held to: recorded upstream behaviour, none, or an implementation run live.",
)
release = click.option(
    "--release",
    metavar="VERSION",
    help=f"The Kubernetes release whose recordings count.  [default: the one named, else {DEFAULTS.release}]",
)
seed = click.option(
    "--seed",
    metavar="N",
    type=int,
    default=DEFAULTS.seed,
    show_default=True,
    help="Seed of every choice the run may make.",
)
report = click.option("--report", metavar="FILE", type=click.Path(path_type=Path), help="Write a JSON report to FILE.")


def run_config(
    values: dict[str, Any], *, update: bool = False, kind: Callable[[dict[str, Any]], KindOptions] | None = None
) -> RunConfig:
    """The run configuration of these option values. Raises UsageError (one line) on a value nobody knows."""
    from lockstep.runs.config import RunConfig

    names = ("implementation", "environment", "against", "release", "seed")
    ground = ClusterOptions(
        values.get("jobs", 1),
        values.get("kubeconfig") or "",
        values.get("context", ""),
        kind(values) if kind is not None else None,
    )
    return RunConfig.parse(**{name: values[name] for name in names if name in values}, update=update, ground=ground)


def check_report_path(path: Path | None) -> None:
    """Refuse a report path that cannot be written, before any work is done."""
    if path is None:
        return
    if path.is_dir():
        raise click.UsageError(f"--report {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"--report {path}: there is no folder {path.parent}; create it first")


def all_of(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Several options as one decorator, shown by `--help` in this order."""

    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


run_options = all_of(implementation, environment, against, release, seed)
ground_options = all_of(jobs, kubeconfig, context)
