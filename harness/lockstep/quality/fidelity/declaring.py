"""API scenarios: what an API server must answer, stated once and run against every target."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lockstep.quality.fidelity.wire import FidelityError

if TYPE_CHECKING:
    from lockstep.quality.fidelity.client import Api

Body = Callable[["Api"], None]
_ID = re.compile(r"[a-z]+(-[a-z]+)*/[a-z0-9]+(-[a-z0-9]+)*")
PACKAGE = "lockstep_conformance.apiserver"


@dataclass(frozen=True, slots=True)
class ApiScenario:
    """One rule of the API with the requests that test it."""

    #: `topic/name`.
    id: str
    #: One sentence with MUST or MUST NOT.
    must: str
    #: Upstream file and function, or section of the API's documentation.
    source: str
    body: Body
    #: Whether it is about HTTP itself, which the server in this process does not speak.
    over_http: bool

    @property
    def topic(self) -> str:
        """The part of the id before the slash: scenarios of a topic share a module and a recording."""
        return self.id.partition("/")[0]


def api_scenario(
    id: str,  # noqa: A002 - what every reader calls it
    *,
    must: str,
    source: str,
    over_http: bool = False,
) -> Callable[[Body], ApiScenario]:
    """Declare a scenario. Raises FidelityError on a malformed one."""
    if not _ID.fullmatch(id):
        raise FidelityError(f"scenario id {id!r} is not of the form topic/some-name")
    if "MUST" not in must:
        raise FidelityError(f"scenario {id}: its sentence does not say what a server MUST (or MUST NOT) do")

    def declare(body: Body) -> ApiScenario:
        return ApiScenario(id, must, source, body, over_http)

    return declare


def load() -> list[ApiScenario]:
    """All scenarios, sorted by id. Raises FidelityError if two have one id."""
    found: dict[str, ApiScenario] = {}
    root = importlib.import_module(PACKAGE)
    for info in sorted(pkgutil.iter_modules(root.__path__), key=lambda one: one.name):
        module = importlib.import_module(f"{PACKAGE}.{info.name}")
        for declared in vars(module).values():
            if not isinstance(declared, ApiScenario):
                continue
            if declared.id in found:
                raise FidelityError(f"scenario {declared.id} is declared twice; give one of them another id")
            found[declared.id] = declared
    return [found[key] for key in sorted(found)]
