"""Differences that fuzzing has found, kept as plans under `fixtures/regressions/` and replayed by every later run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.files import write_whole
from harness.fuzz.differential import case_name


@dataclass(frozen=True, slots=True)
class Regression:
    """One case: a controller, and a plan that the module `conformance.<controller>.plans` can play."""

    controller: str
    plan: dict[str, Any]


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
            loaded[path.stem] = parse_regression(json.loads(path.read_text(encoding="utf-8"))).plan
        except (OSError, ValueError) as error:
            raise DamagedRegression(f"{path.name} is damaged ({error}); restore it from version control") from error
    return loaded


def parse_regression(content: Any) -> Regression:
    """A saved case from its JSON. Raises ValueError, with the reason, on anything else."""
    if not isinstance(content, dict) or not {"controller", "plan"} <= content.keys():
        raise ValueError("a saved case has a controller and a plan")
    controller, plan = content["controller"], content["plan"]
    if not isinstance(controller, str) or not controller.isidentifier():
        raise ValueError(f"{controller!r} is no name of a controller")
    if not isinstance(plan, dict):
        raise ValueError("its plan is no JSON object")  # noqa: TRY004 - one kind of error for bad data
    return Regression(controller, plan)
