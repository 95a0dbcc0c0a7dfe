"""Scenarios: what a controller must do, stated once and run against any implementation.

A scenario is an `async` function that takes a `Cluster`. It does not know which implementation is tested, or on which
clock. It has a stable id, one MUST sentence, its source, and at least one assertion. The decorator leaves a `Scenario`
in the module; pytest collects it, and so does `lockstep run`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lockstep.controllers.names import ACTORS
from lockstep.controllers.options import (
    AdmissionOptions,
    HpaOptions,
    Options,
    RecommenderOptions,
    ScenarioError,
    UpdaterOptions,
    VpaOptions,
)
from lockstep.scenarios.location import shown_path

if TYPE_CHECKING:
    from lockstep.scenarios.cluster import Cluster
    from lockstep.trace.difference import Tolerance

Body = Callable[["Cluster"], Awaitable[None]]
#: Parts of letters, digits, dots, dashes and underscores: an id is also the path of a recording.
_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*", re.ASCII)

#: The package of the built-in suite.
SUITE = "lockstep_conformance"

__all__ = [
    "SUITE",
    "AdmissionOptions",
    "Body",
    "HpaOptions",
    "Options",
    "RecommenderOptions",
    "Scenario",
    "ScenarioError",
    "UpdaterOptions",
    "VpaOptions",
    "scenario",
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
    #: For upstream's random delays: how far two values, or two instants (path "at"), may be apart.
    tolerance: tuple[Tolerance, ...] = ()
    #: Virtual seconds after which the scenario fails because it does not end.
    horizon: float = 7 * 24 * 3600.0
    #: Why only virtual time can show this, as a clause; "" if a real cluster can show it too.
    virtual: str = ""
    module: str = ""
    file: str = ""
    line: int = 0

    @property
    def controller(self) -> str:
        """The controller that the scenario is about."""
        return self.controllers[0]

    @property
    def name(self) -> str:
        """The id without its first part: without its controller, where the id begins with one."""
        return self.id.partition("/")[2] or self.id

    @property
    def selector(self) -> str:
        """What selects this scenario on a command line: its id in the built-in suite, else its place."""
        if not self.file or self.module.partition(".")[0] == SUITE:
            return self.id
        name = getattr(self.body, "__name__", "")
        return shown_path(self.file) if self.file.endswith(".json") else f"{shown_path(self.file)}::{name}"

    @property
    def where(self) -> str:
        """File and line of the declaration, relative to the current folder where it lies below."""
        return f"{shown_path(self.file)}:{self.line}"


def scenario(  # noqa: PLR0913 - the facts of a scenario, all by keyword
    id: str,  # noqa: A002 - what every reader calls it
    *,
    must: str,
    source: str | tuple[str, ...] = (),
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
        raise ScenarioError(f"scenario id {id!r} is not of the form some-name or group/some-name")
    if "MUST" not in must:
        raise ScenarioError(f"scenario {id}: its sentence does not say what a controller MUST (or MUST NOT) do")
    if not controllers or (unknown := sorted(set(controllers) - ACTORS.keys())):
        named = f"the controller {unknown[0]!r}, which nobody knows" if controllers else "no controller"
        raise ScenarioError(f"scenario {id} names {named}; known: {', '.join(ACTORS)}")

    def declare(body: Body) -> Scenario:
        _check_body(id, body)
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
            file=body.__code__.co_filename,
            line=body.__code__.co_firstlineno,
        )

    return declare


#: Ids by the file and name of the function that declares them, for functions that stand in no other.
_DECLARED: dict[tuple[str, str], tuple[str, int]] = {}


def _check_body(scenario_id: str, body: Body) -> None:
    """Raises ScenarioError if the function cannot be a scenario, or takes the name of another one in its file."""
    code = body.__code__
    where = f"{shown_path(code.co_filename)}:{code.co_firstlineno}"
    if not inspect.iscoroutinefunction(body) or code.co_argcount != 1:
        raise ScenarioError(f"scenario {scenario_id} ({where}): write `async def {code.co_name}(cluster: Cluster)`")
    name, line = (code.co_filename, code.co_qualname), code.co_firstlineno
    other, other_line = _DECLARED.setdefault(name, (scenario_id, line))
    if "<locals>" not in code.co_qualname and other_line != line and other != scenario_id:
        raise ScenarioError(
            f"scenario {scenario_id} ({where}): its function {code.co_name} is also that of {other} "
            f"(line {other_line}), which would be lost; rename one"
        )
