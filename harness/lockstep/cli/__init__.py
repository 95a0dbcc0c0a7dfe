"""The `lockstep` command: one module per verb, imported only when that verb is used.

Exit codes: 0 green, 1 not green, 2 the command or its input is wrong (one line says why), 3 an error inside Lockstep,
130 interrupted, 143 terminated.
"""

from __future__ import annotations

import difflib
import importlib
import signal
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click

from lockstep import __version__
from lockstep.errors import LockstepError

GREEN, NOT_GREEN, BAD_INPUT, INTERNAL_ERROR, INTERRUPTED = 0, 1, 2, 3, 130

#: Verb -> its short help, in the order of `lockstep --help`. Each verb is `command` in the module of the same name.
VERBS = {
    "run": "Run scenarios and judge them.",
    "list": "List the scenarios.",
    "init": "Lay out a working example in a repository.",
    "fuzz": "Run generated cases and report every difference.",
    "replay": "Judge a saved run or case again.",
    "diff": "Compare two reports or two recordings.",
    "record": "Record what upstream does in each scenario.",
    "upstream": "Build and inspect the upstream controllers.",
    "control-plane": "Find and build the programs of a control plane.",
    "oracle": "Compare arithmetic on generated questions.",
    "fidelity": "Compare the API server with a real kube-apiserver.",
    "serve": "Serve the simulated cluster over HTTP.",
    "mutants": "Check that the scenarios catch wrong controllers.",
    "bench": "Measure how fast the harness is.",
}


class _Verbs(click.Group):
    """A group whose commands are imported when they are used, so that `lockstep --help` is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        if cmd_name == "run":  # the project's defaults; options on the command line have precedence
            from lockstep.project import find_project

            ctx.default_map = {cmd_name: dict(find_project().defaults)}
        command = importlib.import_module(f"lockstep.cli.{cmd_name.replace('-', '_')}_verb").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"the verbs are {', '.join(VERBS)}"
            raise click.UsageError(f"there is no verb {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, message="lockstep %(version)s")
def root() -> None:
    """Run Kubernetes controllers through the same scenarios, on one virtual clock, and show where they differ."""


def main(arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - one for each way to end
    """Run the command line and return its exit code."""
    try:
        with _terminated_in_order():
            return int(root.main(args=arguments, prog_name="lockstep", standalone_mode=False) or GREEN)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.ClickException as error:
        return _say(_where(error), error.format_message())
    except click.Abort as aborted:
        return _interrupted(aborted.__cause__)
    except LockstepError as error:
        return _say("lockstep", str(error))
    except SystemExit as left:
        click.echo(f"lockstep: something called sys.exit({left.code!r}) in the middle of the command", err=True)
        return NOT_GREEN
    except Exception as error:
        traceback.print_exc()
        click.echo(
            f"lockstep: internal error: {type(error).__name__}: {error}; a bug in Lockstep, not in what it tests",
            err=True,
        )
        return INTERNAL_ERROR


class _Terminated(KeyboardInterrupt):
    """A signal ends the command. A kind of KeyboardInterrupt, since Hypothesis takes SystemExit for a finding."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


def _interrupted(by: BaseException | None) -> int:
    if isinstance(by, _Terminated):
        return by.code
    click.echo("lockstep: interrupted", err=True)
    return INTERRUPTED


@contextmanager
def _terminated_in_order() -> Iterator[None]:
    """Let SIGTERM unwind the stack as Ctrl-C does, so that no process of ours outlives us."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers
        return

    def end(number: int, _: object) -> NoReturn:
        raise _Terminated(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(where: str, message: str) -> int:
    """Print one line on standard error and return the exit code for bad input."""
    click.echo(f"{where}: {' '.join(message.split())}", err=True)
    return BAD_INPUT


def _where(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if isinstance(context, click.Context) else "lockstep"
