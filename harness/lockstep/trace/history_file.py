"""Raw histories as files: JSON lines, to be judged again without a run.

A file has a header, one line for each write, and then one for each read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lockstep.errors import LockstepError
from lockstep.files import write_whole
from lockstep.trace.history import History, Read, Write

if TYPE_CHECKING:
    from pathlib import Path

_FORMAT = "lockstep-history/1"


class DamagedHistory(LockstepError):
    """A history file cannot be read; the message names the file, the reason and what to do."""


def save_history(path: Path, history: History, facts: dict[str, Any]) -> None:
    """Write a history with `facts` about the run (plain JSON: scenario, start and end instant, implementation ...)."""
    header = {"format": _FORMAT, "controllers": sorted(history.controllers), "writes": len(history), "facts": facts}
    if history.reads:
        header["reads"] = len(history.reads)
    lines = [header, *(write._asdict() for write in history), *(read._asdict() for read in history.reads)]
    write_whole(path, "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines))


def load_history(path: Path) -> tuple[History, dict[str, Any]]:
    """A history and the facts it was saved with. Raises DamagedHistory, for a truncated file too."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedHistory(f"{path.name} cannot be read: {error}; name a file that a run has written") from None
    try:
        return _parse(lines)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise DamagedHistory(f"{path.name} is not a complete history ({reason}); run the scenario again") from None


def _parse(lines: list[str]) -> tuple[History, dict[str, Any]]:
    header = json.loads(lines[0])
    if header["format"] != _FORMAT:
        raise ValueError(f"its format is not {_FORMAT}")
    reads = 1 + header["writes"]
    history = History(
        header["controllers"],
        (Write(**json.loads(line)) for line in lines[1:reads]),
        (Read(**json.loads(line)) for line in lines[reads:]),
    )
    for what, found, wanted in (
        ("writes", len(history), header["writes"]),
        ("reads", len(history.reads), header.get("reads", 0)),
    ):
        if found != wanted:
            raise ValueError(f"it holds {found} of {wanted} {what}")
    return history, dict(header["facts"])
