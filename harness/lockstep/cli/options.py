"""Options that several verbs share, and the run configuration they make."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from lockstep.environments.options import ClusterOptions, KindOptions
from lockstep.runs.config import REPORTED, RunConfig

_F = TypeVar("_F", bound=Callable[..., Any])
_USUAL = RunConfig()
_PROGRAM = click.Path(dir_okay=False, path_type=Path)

controller = click.option(
    "--controller", metavar="NAME", help="Only the scenarios of this controller; vpa means all three of it."
)
suite = click.option(
    "--suite", is_flag=True, help="Choose from the built-in suite, also where the project has its own."
)
implementation = click.option(
    "--implementation",
    metavar="WHO",
    default=_USUAL.implementation,
    show_default=True,
    help="Who is tested: reference, upstream, upstream:RELEASE, upstream:path=DIR, or a mix: WHO,CONTROLLER=WHO.",
)
environment = click.option(
    "--environment",
    metavar="WHERE",
    default=_USUAL.environment,
    show_default=True,
    help="The cluster it acts on: memory, control-plane, kind, or kubeconfig (an existing one).",
)
jobs = click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 64),
    help="Scenarios that run at a time.  [default: one a processor in memory, 8 on a real cluster]",
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
    default=_USUAL.against,
    show_default=True,
    help="What it is held to: recorded upstream behaviour, none, or an implementation run live.",
)
release = click.option(
    "--release",
    metavar="VERSION",
    help=f"The Kubernetes release whose recordings count.  [default: the one named, else {_USUAL.release}]",
)
seed = click.option(
    "--seed",
    metavar="N",
    type=int,
    default=_USUAL.seed,
    show_default=True,
    help="Seed of every choice the run may make.",
)
report = click.option("--report", metavar="FILE", type=click.Path(path_type=Path), help="Write a JSON report to FILE.")


def run_config(chosen: dict[str, Any], *, update: bool = False) -> RunConfig:
    """The run configuration of these option values, by name. Raises UsageError (one line) on an unknown value."""
    names = {*REPORTED, "jobs"} & chosen.keys()
    return RunConfig.parse(**{name: chosen[name] for name in names}, update=update, cluster=cluster_options(chosen))


def cluster_options(chosen: dict[str, Any]) -> ClusterOptions:
    """The real cluster that these option values name; omitted options keep their defaults."""
    named = {name: chosen[name] for name in ("kubeconfig", "context") if chosen.get(name)}
    kind = {name.removeprefix("kind_"): value for name, value in chosen.items() if name.startswith("kind_") and value}
    return ClusterOptions(**named, kind=KindOptions(**kind))


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


run_options = all_of(implementation, environment, against, release, seed, jobs)
real_cluster_options = all_of(
    kubeconfig,
    context,
    click.option(
        "--kind-image",
        metavar="IMAGE",
        help="kind: the image of the nodes.  [default: lockstep/node if Docker has it, else kind's own]",
    ),
    click.option(
        "--kind-bin",
        "kind_kind_bin",
        metavar="FILE",
        type=_PROGRAM,
        help="kind: the program.  [default: the one on PATH]",
    ),
    click.option("--kind-kubectl-bin", metavar="FILE", type=_PROGRAM, help="kind: kubectl.  [default: that on PATH]"),
    click.option(
        "--kind-cluster-name", "kind_name", metavar="NAME", help="kind: the name of the cluster.  [default: lockstep]"
    ),
    click.option("--kind-keep", is_flag=True, help="kind: leave the cluster behind, for the next run."),
)
