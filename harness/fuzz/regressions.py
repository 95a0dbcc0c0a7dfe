"""Differences that fuzzing has found, kept as plans under `fixtures/regressions/` and replayed by every later run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.files import write_whole
from harness.fuzz.differential import case_name


class DamagedRegression(Exception):
    """A regression file cannot be used; the message is one line."""


def save_regression(fixtures: Path, controller: str, plan: dict[str, Any], headline: str) -> Path:
    """Write a plan; the name of its file comes from its content."""
    path = fixtures / "regressions" / controller / f"{case_name(plan)}.json"
    content = {"controller": controller, "found": headline, "plan": plan}
    write_whole(path, json.dumps(content, indent=2, sort_keys=True) + "\n")
    return path


def load_regressions(fixtures: Path, controller: str) -> dict[str, dict[str, Any]]:
    """The saved plans of a controller by name, sorted. Raises DamagedRegression."""
    loaded: dict[str, dict[str, Any]] = {}
    for path in sorted((fixtures / "regressions" / controller).glob("*.json")):
        try:
            content = json.loads(path.read_text())
            loaded[path.stem] = content["plan"]
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedRegression(f"{path.name} is damaged ({error}); restore it from version control") from error
    return loaded
