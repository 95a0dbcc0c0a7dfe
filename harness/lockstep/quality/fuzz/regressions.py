"""Differences that fuzzing has found, kept as plans under `regressions/` and replayed by every later run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lockstep.files import write_whole
from lockstep.quality.fuzz.differential import case_name, tolerance_of
from lockstep.scenarios.declare import Scenario

if TYPE_CHECKING:
    from lockstep.scenarios.cluster import Cluster


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


def regression_scenarios(fixtures: Path, controller: str, plans: ModuleType, module: str) -> dict[str, Scenario]:
    """The saved plans of a controller as scenarios, by the names that they shall have in `module`.

    `plans` is as in `lockstep.quality.fuzz.differential.as_scenario`. Raises DamagedRegression.
    """
    saved = load_regressions(fixtures, controller)
    return {f"test_regression_{name}": _scenario(controller, name, plan, plans, module) for name, plan in saved.items()}


def _scenario(controller: str, name: str, plan: dict[str, Any], plans: ModuleType, module: str) -> Scenario:
    async def body(cluster: Cluster) -> None:
        await plans.play(cluster, plan)
        cluster.expect_true("the controllers run at the end", cluster.controllers_running)

    return Scenario(
        id=f"{plans.CONTROLLERS[0]}/regression-{name}",
        must="The controller MUST act as upstream does in a scenario that once showed a difference.",
        source=(f"lockstep_fixtures/regressions/{controller}/{name}.json",),
        body=body,
        controllers=plans.CONTROLLERS,
        features=("regression",),
        options=plans.options(plan),
        tolerance=tolerance_of(plans),
        module=module,
    )


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
