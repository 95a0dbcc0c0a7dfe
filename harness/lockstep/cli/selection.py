"""Which scenarios a command line selects. A word that matches nothing is an error, never an empty run.

A word is a path (`tests/`, `tests/test_mine.py`, `tests/test_mine.py::test_name`), or a glob over ids, names and
controllers of the available scenarios: those of the project, or those of the built-in suite.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from lockstep.controllers.names import ACTORS, GROUPS

if TYPE_CHECKING:
    from lockstep.project import Project
    from lockstep.project.index import Entry
    from lockstep.scenarios.declare import Scenario


class Selectable(Protocol):
    """The facts that a selection uses: a `Scenario`, or its entry in the index."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def controller(self) -> str: ...  # noqa: D102
    @property
    def controllers(self) -> tuple[str, ...]: ...  # noqa: D102


_One = TypeVar("_One", bound=Selectable)


def choose(
    words: Sequence[str], controller: str | None = None, *, suite: bool = False, project: Project | None = None
) -> list[Scenario]:
    """The scenarios that the words select; all available ones if there are no words.

    `suite` chooses from the built-in suite, also in a project with its own scenarios; only the modules of chosen
    scenarios are imported. Raises click.UsageError, or LockstepError, with the reason.
    """
    from lockstep.project import find_project, index, loading

    project = project or find_project()
    at_paths, globs = _by_paths(words, project, controller)
    if at_paths and not globs:
        return list(at_paths.values())
    if not suite and loading.has_own(project):
        found = select(loading.load_project(project), globs, controller)
    elif globs or controller is not None:
        ids = {one.id: one.module for one in select(index.suite_entries(), globs, controller)}
        found = [one for one in loading.load(set(ids.values())) if one.id in ids]
    else:
        found = loading.load()
    return list((at_paths | {one.id: one for one in found}).values())


def entries(words: Sequence[str], controller: str | None = None, *, suite: bool = False) -> list[Entry]:
    """The choice of `choose`, as entries of an index: nothing of the built-in suite is imported."""
    from lockstep.project import find_project, index, loading

    project = find_project()
    if (not suite and loading.has_own(project)) or any(map(is_path, words)):
        return [index.Entry.of(one) for one in choose(words, controller, suite=suite, project=project)]
    return select(index.suite_entries(), words, controller)


def _by_paths(words: Sequence[str], project: Project, controller: str | None) -> tuple[dict[str, Scenario], list[str]]:
    """The scenarios at the paths among the words, by id, and the other words."""
    paths = [word for word in words if is_path(word)]
    found = {one.id: one for word in paths for one in _at(word, project)}
    if paths and controller is not None:
        found = {one.id: one for one in _of_controller(list(found.values()), controller)}
    return found, [word for word in words if word not in paths]


def select(scenarios: Sequence[_One], patterns: Sequence[str], controller: str | None = None) -> list[_One]:
    """The scenarios whose id, name or controller matches a pattern (all if there is none), in their order.

    Raises click.UsageError with close matches if a pattern, or the controller, matches nothing.
    """
    if not scenarios:
        raise click.UsageError(
            "this project has no scenarios yet; write one (lockstep init shows how), or add --suite for ours"
        )
    if controller is not None:
        scenarios = _of_controller(scenarios, controller)
    for pattern in patterns:
        if not any(_matches(one, pattern) for one in scenarios):
            raise click.UsageError(_no_match(pattern, scenarios))
    return [one for one in scenarios if not patterns or any(_matches(one, pattern) for pattern in patterns)]


def is_path(word: str) -> bool:
    """Whether a word of the command line names a file or folder instead of scenarios."""
    file = word.partition("::")[0]
    return (
        file.endswith((".py", ".json", "/")) or "::" in word or (Path(file).exists() and file not in {*ACTORS, *GROUPS})
    )


def _at(word: str, project: Project) -> list[Scenario]:
    """The scenarios at a path; after `::`, only those of that id or function name."""
    from lockstep.project import loading
    from lockstep.project.regressions import scenario_in

    file, _, name = word.partition("::")
    path = Path(file)
    if not path.exists():
        raise click.UsageError(f"there is no file or folder {file}")
    if path.suffix == ".json":
        return [scenario_in(path.resolve())]
    found = loading.load_files(project, loading.files_in(path))
    if name:
        found = [one for one in found if name in (one.id, one.name, one.body.__name__)]
    if not found:
        where = f"{name!r} in {file}" if name else file
        raise click.UsageError(
            f"no scenario at {where}: a scenario is an async function below @scenario(...) in a file test_*.py"
        )
    return found


def _of_controller(scenarios: Sequence[_One], controller: str) -> list[_One]:
    wanted = (controller, *GROUPS.get(controller, ()))
    chosen = [one for one in scenarios if any(name in one.controllers for name in wanted)]
    if not chosen:
        known = sorted({name for one in scenarios for name in one.controllers})
        raise click.UsageError(f"no scenario is about controller {controller!r}; known: {', '.join(known) or 'none'}")
    return chosen


def _matches(scenario: Selectable, pattern: str) -> bool:
    groups = [group for group, names in GROUPS.items() if scenario.controller in names]
    return any(fnmatchcase(text, pattern) for text in (scenario.id, scenario.name, scenario.controller, *groups))


def _no_match(pattern: str, scenarios: Sequence[Selectable]) -> str:
    names = {one.id: one.id for one in scenarios} | {one.name: one.id for one in scenarios}
    close = [names[name] for name in difflib.get_close_matches(pattern.strip("*"), sorted(names), n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else "lockstep list shows all of them"
    return f"no scenario matches {pattern!r}; {hint}"
