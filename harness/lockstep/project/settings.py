"""`[tool.lockstep]` in pyproject.toml: the places of a project's scenarios and evidence, and its default run.

    [tool.lockstep]
    scenarios = ["tests"]                          # folders, files and globs
    recordings = "lockstep/recordings"             # what upstream was seen to do
    regressions = "lockstep/regressions"           # cases that fuzzing found
    ledger = "lockstep/divergences.yaml"           # known differences
    implementation = "reference"                   # defaults of the options of the same names
    against = "recorded"
    release = "1.36.3"
    environment = "memory"

All paths are relative to the file. A folder without such a table has the built-in suite and may not write evidence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.scenarios.declare import SUITE
from lockstep_fixtures import ROOT as FIXTURES

_FILE = "pyproject.toml"
#: Settings that are the defaults of the options of the same names.
_OPTIONS = ("implementation", "against", "release", "environment")
_PATHS = {"recordings": "recordings", "regressions": "regressions", "ledger": "divergences.yaml"}


class ProjectError(LockstepError):
    """The settings of a project are wrong, or required ones are missing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The places of the recordings, of the ledger of known differences, and of the saved regressions."""

    recordings: Path
    regressions: Path
    ledger: Path


#: The evidence of the suite that comes with Lockstep.
BUILT_IN = Evidence(FIXTURES / "recordings", FIXTURES / "regressions", FIXTURES / "divergences.yaml")


@dataclass(frozen=True, slots=True)
class Project:
    """A user's repository. `configured`: whether it has a table `[tool.lockstep]`."""

    root: Path
    configured: bool = False
    scenarios: tuple[str, ...] = ()
    evidence: Evidence = BUILT_IN
    #: Defaults of command line options, by name.
    defaults: Mapping[str, str] = field(default_factory=dict)

    def evidence_of(self, module: str) -> Evidence:
        """The evidence for scenarios of a module: that of the project, or that of the built-in suite."""
        return BUILT_IN if module.partition(".")[0] == SUITE else self.evidence

    def writable(self, evidence: Evidence) -> Evidence:
        """`evidence`, if this project may write it. Raises ProjectError if it lies outside, or if there is no table."""
        if not self.configured:
            raise ProjectError(
                f"{self.root} has no pyproject.toml with [tool.lockstep], which says where evidence is kept; "
                "`lockstep init` adds it"
            )
        for path in (evidence.recordings, evidence.regressions, evidence.ledger):
            if not path.resolve().is_relative_to(self.root.resolve()):
                raise ProjectError(
                    f"{path} lies outside of the project {self.root} and is never written; "
                    "scenarios of the built-in suite are not recorded here"
                )
        return evidence


def find_project(start: Path | None = None) -> Project:
    """The project of a folder (default: the current one): the nearest pyproject.toml with `[tool.lockstep]` upwards.

    Without one, the folder itself is a project without settings. Raises ProjectError on unknown settings.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except OSError as error:
        raise ProjectError(f"the current folder cannot be used: {error.strerror}; change to another one") from error
    for folder in (here, *here.parents):
        file = folder / _FILE
        table = _table(file) if file.is_file() else None
        if table is not None:
            return _parse(folder, file, table)
    return Project(here, evidence=_evidence(here / ".lockstep", {}))


def _table(file: Path) -> dict[str, Any] | None:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProjectError(f"{file} cannot be read: {error}; mend it, or run lockstep elsewhere") from error
    found = content.get("tool", {}).get("lockstep")
    if found is not None and not isinstance(found, dict):
        raise ProjectError(f"{file}: [tool.lockstep] must be a table")
    return found


def _parse(root: Path, file: Path, table: dict[str, Any]) -> Project:
    known = {"scenarios", *_PATHS, *_OPTIONS}
    if unknown := sorted(table.keys() - known):
        raise ProjectError(f"{file}: [tool.lockstep] has no setting {unknown[0]!r}; known: {', '.join(sorted(known))}")
    scenarios = table.get("scenarios", ["tests"])
    if not isinstance(scenarios, list) or not all(isinstance(one, str) and one for one in scenarios):
        raise ProjectError(f'{file}: scenarios in [tool.lockstep] must be a list of paths, such as ["tests"]')
    for name in (*_PATHS, *_OPTIONS):
        if name in table and not (isinstance(table[name], str) and table[name]):
            raise ProjectError(f"{file}: {name} in [tool.lockstep] must be a text in quotes")
    return Project(
        root=root,
        configured=True,
        scenarios=tuple(scenarios),
        evidence=_evidence(root / "lockstep", {name: root / table[name] for name in _PATHS if name in table}),
        defaults={name: table[name] for name in _OPTIONS if name in table},
    )


def _evidence(folder: Path, chosen: Mapping[str, Path]) -> Evidence:
    return Evidence(**{name: chosen.get(name, folder / default) for name, default in _PATHS.items()})
