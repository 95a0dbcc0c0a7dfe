"""Differences that fuzzing has found, kept as plans under `regressions/` and replayed by every later run."""

from __future__ import annotations

import hashlib
import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lockstep.errors import LockstepError
from lockstep.files import write_whole
from lockstep.scenarios.declare import Scenario

if TYPE_CHECKING:
    from lockstep.project.settings import Project
    from lockstep.scenarios.cluster import Cluster
    from lockstep.trace.difference import Tolerance


#: The module name that saved cases of a user's project get.
_MODULE = "lockstep_project_regressions"


@dataclass(frozen=True, slots=True)
class Regression:
    """One case: a controller, and a plan that the module `conformance.<controller>.plans` can play."""

    controller: str
    plan: dict[str, Any]


class DamagedRegression(LockstepError):
    """A regression file cannot be used; the message is one line."""


def case_name(plan: dict[str, Any]) -> str:
    """A short stable name for a plan."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:10]


def tolerance_of(plans: ModuleType) -> tuple[Tolerance, ...]:
    """The differences that a module allows in the traces of its plans; by default none."""
    tolerance: tuple[Tolerance, ...] = getattr(plans, "TOLERANCE", ())
    return tolerance


def save_regression(folder: Path, controller: str, plan: dict[str, Any], headline: str) -> Path:
    """Write a plan below the folder of regressions; the name of its file comes from its content."""
    path = folder / controller / f"{case_name(plan)}.json"
    content = {"controller": controller, "found": headline, "plan": plan}
    write_whole(path, json.dumps(content, indent=2, sort_keys=True) + "\n")
    return path


def load_regressions(folder: Path, controller: str) -> dict[str, dict[str, Any]]:
    """The saved plans of a controller by name, sorted. Raises DamagedRegression."""
    loaded: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / controller).glob("*.json")):
        try:
            loaded[path.stem] = parse_regression(json.loads(path.read_text(encoding="utf-8"))).plan
        except (OSError, ValueError) as error:
            raise DamagedRegression(f"{path.name} is damaged ({error}); restore it from version control") from error
    return loaded


def regression_scenarios(folder: Path, controller: str, plans: ModuleType, module: str) -> dict[str, Scenario]:
    """The saved plans of a controller as scenarios, by the names that they get in `module`.

    `plans` is as in `lockstep.quality.fuzz.differential.as_scenario`. Raises DamagedRegression.
    """
    return {
        f"test_regression_{name}": _scenario(folder / controller / f"{name}.json", controller, plan, plans, module)
        for name, plan in load_regressions(folder, controller).items()
    }


def regressions_of(project: Project) -> list[Scenario]:
    """The saved cases of a user's project as scenarios. Raises DamagedRegression."""
    folder = project.evidence.regressions
    if not project.configured or not folder.is_dir():
        return []
    found: list[Scenario] = []
    for controller in sorted(one.name for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")):
        found += regression_scenarios(folder, controller, plans_of(controller), _MODULE).values()
    return found


def scenario_in(file: Path) -> Scenario:
    """The scenario of one saved case. Raises DamagedRegression."""
    try:
        case = parse_regression(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise DamagedRegression(f"{file} is damaged ({error}); restore it from version control") from error
    return _scenario(file, case.controller, case.plan, plans_of(case.controller), _MODULE)


def plans_of(controller: str) -> ModuleType:
    """The module that can play generated cases of a controller. Raises DamagedRegression if there is none."""
    try:
        return importlib.import_module(f"lockstep_conformance.{controller}.plans")
    except ModuleNotFoundError as missing:
        raise DamagedRegression(f"no case of controller {controller!r} can be played: {missing}") from missing


def _scenario(file: Path, controller: str, plan: dict[str, Any], plans: ModuleType, module: str) -> Scenario:
    name = file.stem

    async def body(cluster: Cluster) -> None:
        await plans.play(cluster, plan)
        cluster.expect_true("the controllers run at the end", cluster.controllers_running)

    return Scenario(
        id=f"{plans.CONTROLLERS[0]}/regression-{name}",
        must="The controller MUST act as upstream does in a scenario that once showed a difference.",
        source=(f"regressions/{controller}/{name}.json",),
        body=body,
        controllers=plans.CONTROLLERS,
        features=("regression",),
        options=plans.options(plan),
        tolerance=tolerance_of(plans),
        module=module,
        file=str(file),
        line=1,
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
