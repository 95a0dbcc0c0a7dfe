"""The lists of mutants: `mutants/<controller>/<kind>.yaml`, one for each implementation of each controller."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from lockstep.errors import LockstepError
from lockstep_fixtures import ROOT as FIXTURES

#: The implementation whose source is changed.
KINDS = ("reference", "upstream")
FOLDER = FIXTURES / "mutants"
_OPTIONAL = {"function", "likely"}
_PROVENANCE = ("release", "source")


class MutantError(LockstepError):
    """The list of mutants or one of them is wrong, or a mutant cannot be run. The message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A `controller`, or a group of them, with one deliberate mistake.

    In `file` (and there, if given, in `function`, which may be "Type.method" in Go) the text `find` becomes `put`.
    `says` is what the controller then does wrong. `likely` names scenarios (globs) to try first, for speed only.
    """

    kind: str
    controller: str
    name: str
    says: str
    file: str
    find: str
    put: str
    function: str = ""
    likely: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Kind, controller and name, such as `upstream/replicaset/no-burst-limit`."""
        return f"{self.kind}/{self.controller}/{self.name}"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The mutants of one kind of one controller, and the release whose source they are made from."""

    kind: str
    controller: str
    release: str
    mutants: tuple[Mutant, ...]


def controllers(folder: Path = FOLDER) -> list[str]:
    """The controllers that have mutants, sorted."""
    return sorted(one.name for one in folder.iterdir() if one.is_dir())


def load(kind: str, controller: str, folder: Path = FOLDER) -> Catalogue:
    """The list of `kind` for a controller. Raises MutantError if it is malformed."""
    where = f"lockstep_fixtures/mutants/{controller}/{kind}.yaml"
    path = folder / controller / f"{kind}.yaml"
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise MutantError(f"{where} cannot be read: {' '.join(str(error).split())}; restore it") from error
    if not isinstance(data, dict) or sorted(data) != ["mutants", *_PROVENANCE]:
        raise MutantError(f"{where} must have exactly the fields mutants, {', '.join(_PROVENANCE)}")
    if not isinstance(data["mutants"], list) or not data["mutants"]:
        raise MutantError(f"{where} lists no mutants; add some")
    mutants = tuple(_parse(kind, controller, entry, where) for entry in data["mutants"])
    names = [one.name for one in mutants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MutantError(f"{where} has two mutants of one name: {', '.join(twice)}; rename one")
    return Catalogue(kind, controller, str(data["release"]), mutants)


def _parse(kind: str, controller: str, entry: Any, where: str) -> Mutant:
    known = {one.name for one in fields(Mutant)} - {"kind", "controller"}
    if not isinstance(entry, dict) or not (known - _OPTIONAL <= entry.keys() <= known):
        name = entry.get("name", "one") if isinstance(entry, dict) else "one"
        needed = ", ".join(sorted(known - _OPTIONAL))
        raise MutantError(f"{where}: mutant {name} must have {needed}, and may have {', '.join(sorted(_OPTIONAL))}")
    texts = {key: value for key, value in entry.items() if key != "likely"}
    wrong = sorted(key for key, value in texts.items() if not isinstance(value, str))
    if wrong:
        raise MutantError(f"{where}: mutant {entry['name']}: {', '.join(wrong)} must be text; put it in quotes")
    if texts["find"] == texts["put"] or not texts["find"]:
        raise MutantError(f"{where}: mutant {entry['name']} changes nothing; find and put must differ")
    return Mutant(kind, controller, likely=tuple(entry.get("likely", ())), **texts)


def select(catalogues: Sequence[Catalogue], patterns: Sequence[str]) -> list[Mutant]:
    """The mutants whose id or name matches a pattern; all without patterns. Raises MutantError on a pattern without a
    match.
    """
    every = [one for catalogue in catalogues for one in catalogue.mutants]
    for pattern in patterns:
        if not any(_matches(one, pattern) for one in every):
            known = [name for one in every for name in (one.id, one.name)]
            close = difflib.get_close_matches(pattern.strip("*"), known)
            hint = f"did you mean {close[0]}?" if close else "without a name, all of them run"
            raise MutantError(f"no mutant matches {pattern!r}; {hint}")
    return [one for one in every if not patterns or any(_matches(one, pattern) for pattern in patterns)]


def _matches(mutant: Mutant, pattern: str) -> bool:
    return fnmatchcase(mutant.id, pattern) or fnmatchcase(mutant.name, pattern)
