"""Header, summary, report file and the rule that a session which judged nothing is not green.

Runs in the process with the terminal: the only one, or the controller of pytest-xdist.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lockstep import __version__
from lockstep.pytest_plugin.execution import SELECTED, Execution
from lockstep.report import ReportError, Row, Session, document, write
from lockstep.report.text import closing, divergence_lines, fold, summary
from lockstep.runs.command import option_words
from lockstep.runs.config import RunConfig


class Reporting:
    """Collects the rows of all processes and reports the result."""

    def __init__(self, config: pytest.Config, chosen: RunConfig) -> None:
        self._config = config
        self._session = Session(chosen)
        self._nodeids: dict[str, str] = {}
        self._selected_by_workers: list[int] = []
        report = config.getoption("lockstep_report")
        self._report = None if report is None else Path(report).absolute()
        self._problem = ""
        self._introduced = False

    def pytest_report_header(self) -> list[str]:
        """One fact per line, if it is known from the start that the session uses Lockstep."""
        self._introduced = True
        return self._introduction()

    def pytest_report_collectionfinish(self) -> list[str]:
        """The same facts later, if only the collected scenarios showed that the session uses Lockstep."""
        return [] if self._introduced or self._config.get_verbosity() < 0 else self._introduction()

    def _introduction(self) -> list[str]:
        first, *others = self._session.config.lines(__version__)
        return [f"{first[0]}: {first[1]}", *(f"lockstep {name}: {value}" for name, value in others)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a scenario's row."""
        wire = getattr(report, "lockstep", None)
        if wire is not None:
            row = Row.from_wire(wire)
            self._session.add(row)
            self._nodeids[row.id] = report.nodeid

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist ended: each of them collected the same scenarios."""
        self._selected_by_workers.append(int(getattr(node, "workeroutput", {}).get(SELECTED, 0)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the report; fail a session that is green only because nothing was judged."""
        execution: Execution = self._config.pluginmanager.getplugin("lockstep-execution")
        selected = max([execution.selected, *self._selected_by_workers])
        if self._config.getoption("collectonly") or not (selected or self._report):
            return
        self._session.selected = selected
        if exitstatus == pytest.ExitCode.OK and not self._session.green:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._report is not None and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            try:
                write(self._report, document([self._session]))
            except ReportError as error:
                self._problem = str(error)
                session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The summary of `lockstep run`, with the command that repeats the failures under pytest."""
        if self._session.selected is None:
            return
        out = terminalreporter
        out.section("lockstep", sep="=")
        for line in summary(self._session) if self._session.rows else ():
            out.write_line(line)
        for line in divergence_lines(self._session.rows):
            out.write_line(f"divergent  {line}", yellow=True)
        out.write_line("")
        for line in closing(self._session):
            out.write_line(line, green=self._session.green, red=not self._session.green)
        if self._session.to_repeat:
            out.write_line("to repeat:")
            nodeids = [self._nodeids[one] for one in self._session.to_repeat]
            for line in fold(["python -m pytest", *nodeids, *option_words(self._session.config, "--lockstep-")]):
                out.write_line(f"  {line}")
        if self._report is not None:
            out.write_line(self._problem or f"report written to {self._report}", red=bool(self._problem))
