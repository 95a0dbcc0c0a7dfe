"""Where in the user's own code something happened: `tests/test_mine.py:12`."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import TracebackType

_OURS = str(Path(__file__).resolve().parents[1])


def calling_line() -> str:
    """File and line of the nearest caller outside of the harness; "" if there is none."""
    frame = sys._getframe(1)  # noqa: SLF001 - inspect.stack() reads the source of every frame
    while frame.f_code.co_filename.startswith(_OURS):
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return f"{shown_path(frame.f_code.co_filename)}:{frame.f_lineno}"


def failing_line(at: TracebackType | None, file: str) -> str:
    """File and line of the innermost frame in `file`, the scenario's own; without one there, of the innermost frame."""
    frames = traceback.extract_tb(at)
    if not frames:
        return ""
    inside = [one for one in frames if one.filename == file]
    chosen = (inside or frames)[-1]
    return f"{shown_path(chosen.filename)}:{chosen.lineno}"


def shown_path(file: str) -> str:
    """A path as people read it: relative to the current folder if it lies below."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file
