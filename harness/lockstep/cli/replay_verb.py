"""`lockstep replay`: judge the result of an earlier run again: a fuzzing case, or the history of a run."""

from __future__ import annotations

import importlib
import json
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lockstep.cli import options

if TYPE_CHECKING:
    from lockstep.project.regressions import Regression
    from lockstep.trace.history import History


@click.command("replay", short_help="Judge a saved run or case again.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options.implementation
@click.option("--against", metavar="WHO", default="upstream", show_default=True, help="Who it is compared with.")
@options.release
@click.pass_context
def command(ctx: click.Context, /, file: Path, **chosen: Any) -> None:
    """Judge FILE again.

    A case that lockstep fuzz --save has saved runs again on both implementations. The history of a run
    (lockstep run --histories) is judged by the invariants and by the recording of its scenario, without running
    anything; the options have no effect then.
    """
    case = _case(file)
    text = _judge_history(file) if case is None else _judge_case(file, case, chosen)
    if text:
        click.echo(text.rstrip())
        click.echo("\nnot green: it still differs" if case is not None else "\nnot green: it does not conform")
    else:
        click.echo("green: both sides act alike" if case is not None else "green: it conforms")
    ctx.exit(1 if text else 0)


def _case(file: Path) -> Regression | None:
    """The saved case that a file holds; None if it is something else."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or "plan" not in content:
        return None
    from lockstep.project.regressions import parse_regression

    try:
        return parse_regression(content)
    except ValueError as error:
        raise click.UsageError(f"{file} is no saved case: {error}; take one that lockstep fuzz --save wrote") from error


def _judge_case(file: Path, case: Regression, chosen: dict[str, Any]) -> str:
    """Run the case on both implementations; what differs, or ""."""
    config = options.run_config(chosen)
    from lockstep.cli.screen import Screen
    from lockstep.implementations.registry import open_implementation
    from lockstep.project import BUILT_IN
    from lockstep.quality.fuzz.differential import Differential, as_scenario
    from lockstep.trace.ledger import Ledger

    note = Screen().note
    try:
        plans = importlib.import_module(f"lockstep_conformance.{case.controller}.plans")
    except ModuleNotFoundError as missing:
        raise click.UsageError(f"no case of controller {case.controller!r} can be played: {missing}") from missing
    try:
        plans.check(case.plan)
    except ValueError as error:
        raise click.UsageError(f"{file} holds no plan that can be played: {error}") from error
    with ExitStack() as held:
        left, right = (
            held.enter_context(closing(open_implementation(spec, config.release, note)))
            for spec in (config.implementation, config.against)
        )
        differential = Differential(left, right, Ledger.load(BUILT_IN.ledger), config.release)
        return differential.judge(as_scenario(case.plan, plans)).text


def _judge_history(file: Path) -> str:
    """Broken invariants, or differences from the recording of the scenario; "" if there are none."""
    from lockstep.trace.history_file import load_history
    from lockstep.trace.invariants import checking as invariants

    history, facts = load_history(file)
    writes = list(history)
    if not writes:
        raise click.UsageError(f"{file} holds no writes, so there is nothing to judge")
    end, broken = facts.get("end", writes[-1].at), facts.get("broken_conditions", ())
    lines = [str(one) for one in invariants.check(history, end, settled=False, broken=broken)]
    return "\n".join(lines) or _compare_history(file, history, facts)


def _compare_history(file: Path, history: History, facts: dict[str, Any]) -> str:
    """How the history differs from the recording of its scenario; "" if it does not."""
    if "scenario" not in facts:
        return ""
    from lockstep.project import find_project
    from lockstep.scenarios.declare import SUITE
    from lockstep.trace import compare, recordings
    from lockstep.trace.explain import explain
    from lockstep.trace.ledger import Ledger
    from lockstep.trace.normalise import normalise

    scenario, release = facts["scenario"], facts["release"]
    evidence = find_project().evidence_of(facts.get("module", SUITE))
    variants = recordings.load(evidence.recordings, release, scenario).variants
    comparison = compare.nearest(variants, normalise(history, facts["start"]))
    applies = facts["implementation"] == "reference"
    judged = Ledger.load(evidence.ledger).judge(scenario, release, applies, comparison)
    if not judged.remaining and not judged.stale:
        return ""
    names = (f"upstream {release} (recorded)", facts["implementation"])
    return explain(judged, scenario, facts["must"], names, f"lockstep replay {file}")
