"""Scenarios: what a controller must do, stated once and run against any implementation.

A scenario is an `async` function that takes a `Cluster` and does not know who is tested, or on what clock. It has a
stable id, one MUST sentence, its source, and at least one assertion. The decorator leaves a `Scenario` in the module;
pytest collects it, and so does `lockstep run`.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.controllers.options import (
    AdmissionOptions,
    HpaOptions,
    Options,
    RecommenderOptions,
    ScenarioError,
    UpdaterOptions,
    VpaOptions,
)

if TYPE_CHECKING:
    from lockstep.scenarios.cluster import Cluster
    from lockstep.trace.difference import Tolerance

Body = Callable[["Cluster"], Awaitable[None]]
_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")

__all__ = [
    "AdmissionOptions",
    "Body",
    "HpaOptions",
    "Options",
    "RecommenderOptions",
    "Scenario",
    "ScenarioError",
    "UpdaterOptions",
    "VpaOptions",
    "load",
    "scenario",
    "scenarios_of",
]


@dataclass(frozen=True)
class Scenario:
    """One rule with the steps that put it to the test."""

    id: str
    must: str
    source: tuple[str, ...]
    body: Body
    issues: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ("replicaset",)
    features: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    #: Whether the controllers run before the body starts; else it calls `cluster.start()`.
    autostart: bool = True
    #: Where upstream draws jitter: how far two values, or two instants (path "at"), may lie apart.
    tolerance: tuple[Tolerance, ...] = ()
    #: Virtual seconds after which the scenario is stopped as one that never ends.
    horizon: float = 7 * 24 * 3600.0
    #: Why this can be told in virtual time only, as a clause; "" if a real cluster may show it too.
    virtual: str = ""
    module: str = ""
    line: int = 0

    @property
    def controller(self) -> str:
        """The controller that the scenario is about."""
        return self.controllers[0]

    @property
    def name(self) -> str:
        """The id without its controller."""
        return self.id.split("/", 1)[1]


def scenario(  # noqa: PLR0913 - the facts of a scenario, all by keyword
    id: str,  # noqa: A002 - what every reader calls it
    *,
    must: str,
    source: str | tuple[str, ...],
    issues: str | tuple[str, ...] = (),
    controllers: tuple[str, ...] = ("replicaset",),
    features: tuple[str, ...] = (),
    options: Options | None = None,
    autostart: bool = True,
    tolerance: tuple[Tolerance, ...] = (),
    horizon: float = 7 * 24 * 3600.0,
    virtual: str = "",
) -> Callable[[Body], Scenario]:
    """Declare a scenario.

    `must` is one sentence with MUST or MUST NOT; `source` a document section, or upstream file and function; `issues`
    upstream issues such as "kubernetes/kubernetes#69376". Raises ScenarioError on a malformed one.
    """
    if not _ID.fullmatch(id):
        raise ScenarioError(f"scenario id {id!r} is not of the form controller/some-name")
    if "MUST" not in must:
        raise ScenarioError(f"scenario {id}: its sentence does not say what a controller MUST (or MUST NOT) do")
    if not id.startswith(tuple(f"{name}/" for name in controllers)):
        raise ScenarioError(f"scenario {id}: the id must start with one of its controllers, {', '.join(controllers)}")

    def declare(body: Body) -> Scenario:
        return Scenario(
            id=id,
            must=must,
            source=(source,) if isinstance(source, str) else source,
            body=body,
            issues=(issues,) if isinstance(issues, str) else issues,
            controllers=controllers,
            features=features,
            options=options or Options(),
            autostart=autostart,
            tolerance=tolerance,
            horizon=horizon,
            virtual=virtual,
            module=body.__module__,
            line=body.__code__.co_firstlineno,
        )

    return declare


def load(packages: Sequence[str] = ("lockstep_conformance",)) -> list[Scenario]:
    """Import the test modules of `packages` and return their scenarios, sorted by id."""
    found: dict[str, Scenario] = {}
    for package in packages:
        for module_name in _test_modules(package):
            for declared in scenarios_of(_import(module_name)):
                if declared.id in found:
                    other = found[declared.id].module
                    raise ScenarioError(f"scenario {declared.id} is declared twice: in {other} and in {module_name}")
                found[declared.id] = declared
    return [found[key] for key in sorted(found)]


def scenarios_of(module: object) -> list[Scenario]:
    """The scenarios that a module declares, in the order of its text."""
    mine = [value for value in vars(module).values() if isinstance(value, Scenario)]
    return sorted((one for one in mine if one.module == getattr(module, "__name__", "")), key=lambda one: one.line)


def _test_modules(package: str) -> list[str]:
    root = _import(package)
    names = [info.name for info in pkgutil.walk_packages(getattr(root, "__path__", []), f"{package}.")]
    return sorted(name for name in names if name.rsplit(".", 1)[1].startswith("test_"))


def _import(name: str) -> object:
    here = str(Path.cwd())
    if here not in sys.path:  # a user's own conformance package lies in the folder they stand in
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except ScenarioError:
        raise
    except Exception as error:
        raise ScenarioError(f"cannot import {name}: {type(error).__name__}: {error}") from error
