"""The output of a verb: plain lines that read well in a log file, with colour and a progress bar on a terminal only.

Results go to standard output. Notes about progress (a build, for example) go to standard error when there is no
terminal on which they can be shown temporarily.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lockstep.report.session import Row, Session
from lockstep.report.text import closing, divergence_lines, rerun_command, summary
from lockstep.runs.outcome import GREEN

_COLOURS = {"pass": "green", "divergent": "yellow", "fail": "bold red", "error": "bold red", "unsupported": "magenta"}


class Screen:
    """Output of one command. `NO_COLOR` and pipes are honoured by rich's own rules."""

    def __init__(self) -> None:
        width = 80 if os.environ.get("COLUMNS", "80").strip() in ("", "0") else None  # rich prints nothing at width 0
        self._out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)
        self._notes = Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=True, width=width)
        self._progress: Progress | None = None
        self._task: Any = None
        self._gap_above = False

    def line(self, text: str = "", style: str | None = None) -> None:
        """Print one line as it is, however long."""
        self._out.print(text, style=style)
        self._gap_above = not text

    def gap(self) -> None:
        """Print an empty line, unless there is one already."""
        if not self._gap_above:
            self.line()

    def lines(self, texts: Sequence[str], style: str | None = None) -> None:
        """Print some lines as they are."""
        for text in texts:
            self.line(text, style)

    def header(self, facts: Sequence[tuple[str, str]]) -> None:
        """Print facts, one per line."""
        width = max(len(name) for name, _ in facts)
        self.lines([f"{name.ljust(width)}  {value}" for name, value in facts])
        self.line()

    def note(self, text: str) -> None:
        """Show a note about progress: in the progress bar if there is one, else as a line on standard error."""
        if self._progress is not None and self._out.is_terminal:
            self._progress.update(self._task, doing=text)
        else:
            self._notes.print(text)

    @contextmanager
    def progress(self, total: int) -> Iterator[None]:
        """Show a bar while the block runs, on a terminal only."""
        columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[doing]}"))
        with Progress(*columns, console=self._out, transient=True, disable=not self._out.is_terminal) as progress:
            self._progress, self._task = progress, progress.add_task("", total=total, doing="")
            try:
                yield
            finally:
                self._progress = None

    def doing(self, text: str) -> None:
        """Show the current work beside the bar; without a terminal, print nothing."""
        if self._progress is not None:
            self._progress.update(self._task, doing=text)

    def advance(self, completed: int, text: str) -> None:
        """Set the bar, and show the current work beside it; without a terminal, print a line for each tenth."""
        if self._progress is not None:
            self._progress.update(self._task, completed=completed, doing=text)
            self.tell(completed, text)

    def tell(self, completed: int, text: str) -> None:
        """Print a line for each tenth of the work that is done, unless there is a terminal, which has the bar."""
        total = int(self._progress.tasks[0].total or 1) if self._progress is not None else 1
        if not self._out.is_terminal and completed < total and completed * 10 // total > (completed - 1) * 10 // total:
            self.line(f"{completed:,} of {total:,}, {text}")

    def done_one(self, row: Row) -> None:
        """Move the bar, and print a line for a scenario unless it is a plain pass."""
        if self._progress is not None:
            self._progress.advance(self._task)
        if row.judged and row.verdict == "pass":
            return
        label = "no assertion" if row.flaw and row.verdict in GREEN else row.verdict
        known = f"  {', '.join(row.divergences)}" if row.verdict == "divergent" else ""
        self.line(f"{label.ljust(12)}  {row.id}{known}", _COLOURS.get(label, "bold red"))

    def explanation(self, title: str, text: str) -> None:
        """Print a rule with a title, then the explanation."""
        self.gap()
        self.line(f"-- {title} ".ljust(80, "-"), "bold")
        self.lines(text.rstrip().splitlines())

    def summary(self, session: Session, *, list_divergences: bool = False) -> None:
        """Print the summary, the conclusion, and the command that repeats what was not green."""
        if list_divergences:
            found = divergence_lines(session.rows)
            self.gap()
            self.line("known divergences" if found else "no known divergence showed itself", "bold")
            self.lines([f"  {one}" for one in found])
        self.gap()
        self.lines(summary(session))
        self.line()
        self.lines(closing(session), "bold green" if session.green else "bold red")
        if session.to_repeat:
            self.line("to repeat:")
            self.lines([f"  {one}" for one in rerun_command(session)])
