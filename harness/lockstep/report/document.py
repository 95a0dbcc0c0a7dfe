"""The JSON report: its format, and reading and writing its files.

Sorted and indented the same way every time, so that two reports of one seed differ in wall times only. A report is
written whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lockstep import __version__
from lockstep.errors import LockstepError
from lockstep.files import write_whole
from lockstep.report.session import Row, Session
from lockstep.runs.outcome import VERDICTS

_ROW_KEYS = ("id", "controller", "verdict", "assertions", "writes_compared", "virtual_seconds", "wall_seconds")


class ReportError(LockstepError):
    """A report cannot be read or written; the message is one line for the user."""


def document(sessions: Iterable[Session]) -> dict[str, Any]:
    """The report of these runs, as JSON values."""
    return {"lockstep": {"version": __version__}, "runs": [_run(session) for session in sessions]}


def _run(session: Session) -> dict[str, Any]:
    return {
        **session.config.reported,
        "scenarios": [{key: getattr(row, key) for key in _ROW_KEYS} for row in session.rows],
        "summary": {
            **totals(session.rows),
            "controllers": {name: totals(session.rows_of(name)) for name in session.controllers},
            "green": session.green,
            "judged": session.judged,
            "not_green_because": session.reasons(),
            "selected": len(session.rows) if session.selected is None else session.selected,
        },
    }


def totals(rows: list[Row]) -> dict[str, Any]:
    """Counts and sums of some rows; times in seconds."""
    return {
        "assertions": sum(row.assertions for row in rows),
        "verdicts": {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS},
        "virtual_seconds": round(sum(row.virtual_seconds for row in rows), 3),
        "wall_seconds": round(sum(row.wall_seconds for row in rows), 4),
        "writes_compared": sum(row.writes_compared for row in rows),
    }


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a report whole or not at all. Raises ReportError if the file cannot be written."""
    data = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    try:
        write_whole(path, data)
    except OSError as error:
        reason = f"{error.strerror}; name a file in a folder that can be written to"
        raise ReportError(f"cannot write the report {path}: {reason}") from error


def read(path: Path) -> dict[str, Any]:
    """Read a report. Raises ReportError if the file is missing, or is not a report."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"{path} is not a report: {error}; write one with lockstep run --report FILE") from error
    if not is_report(content):
        raise ReportError(f"{path} is JSON but not a report; write one with lockstep run --report FILE")
    return dict(content)


def is_report(content: object) -> bool:
    """Whether these JSON values have the format of a report, including the keys of each scenario."""
    return (
        isinstance(content, dict)
        and isinstance(content.get("lockstep"), dict)
        and isinstance(content.get("runs"), list)
        and all(
            isinstance(run, dict)
            and isinstance(run.get("scenarios"), list)
            and all(isinstance(row, dict) and set(_ROW_KEYS) <= set(row) for row in run["scenarios"])
            for run in content["runs"]
        )
    )
