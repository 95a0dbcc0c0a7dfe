"""Finding scenarios: in the files of a user's project, and in the suite that comes with Lockstep.

A file is imported as pytest does it: under its dotted name if it lies in a package, else under a name made of its path,
so that two folders may have files of the same name. Its own folder and the project's root can be imported from.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from lockstep.project.regressions import regressions_of
from lockstep.scenarios.declare import SUITE, Scenario, ScenarioError

if TYPE_CHECKING:
    from lockstep.project.settings import Project

_PATTERNS = ("test_*.py", "*_test.py")
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})


def load(modules: Collection[str] | None = None) -> list[Scenario]:
    """The scenarios of the built-in suite, or of some modules of it, sorted by id."""
    return _collected(_import(name) for name in (suite_modules() if modules is None else sorted(modules)))


def at_hand(project: Project, *, suite: bool = False) -> list[Scenario]:
    """What runs in a project without a selection: its own scenarios, or the built-in suite."""
    return load() if suite or not has_own(project) else load_project(project)


def has_own(project: Project) -> bool:
    """Whether a project has its own scenarios, and is not Lockstep itself."""
    return project.configured and [project.root / entry for entry in project.scenarios] != [suite_root()]


def load_project(project: Project) -> list[Scenario]:
    """The scenarios that a project's settings name, its saved regressions included, sorted by id."""
    files = [file for entry in project.scenarios for file in _matching(project.root, entry)]
    return _collected((_import_of(file, project.root) for file in dict.fromkeys(files)), regressions_of(project))


def load_files(project: Project, files: Sequence[Path]) -> list[Scenario]:
    """The scenarios of some files of a project, sorted by id."""
    return _collected(_import_of(file, project.root) for file in files)


def files_in(path: Path) -> list[Path]:
    """The test modules at a path, sorted: the file itself, or all below a folder. Hidden folders are left out."""
    if path.is_file():
        return [path.resolve()]
    found = {file for pattern in _PATTERNS for file in path.rglob(pattern)}
    return sorted(file.resolve() for file in found if not _is_skipped(file.relative_to(path)))


def suite_modules() -> list[str]:
    """The names of the suite's test modules, sorted. Nothing is imported."""
    root = suite_root()
    files = (file.relative_to(root) for file in root.rglob("test_*.py"))
    return sorted(".".join((SUITE, *file.with_suffix("").parts)) for file in files)


def suite_root() -> Path:
    """The folder of the built-in suite. Raises ScenarioError if it is not installed."""
    spec = importlib.util.find_spec(SUITE)
    if spec is None or not spec.submodule_search_locations:
        raise ScenarioError(f"the package {SUITE} is not installed; install all of Lockstep again")
    return Path(spec.submodule_search_locations[0])


def scenarios_of(module: ModuleType) -> list[Scenario]:
    """The scenarios that a module declares, in the order of its text."""
    mine = [found for value in vars(module).values() if (found := unwrapped(value)) is not None]
    return sorted((one for one in mine if one.module == module.__name__), key=lambda one: one.line)


def unwrapped(value: object) -> Scenario | None:
    """The scenario that a value is, also below pytest's marks; None if it is something else."""
    while type(value).__name__ == "MarkDecorator":
        arguments: tuple[object, ...] = value.args  # type: ignore[attr-defined]
        value = arguments[-1] if arguments else None
    return value if isinstance(value, Scenario) else None


def _collected(modules: Iterable[ModuleType], more: Iterable[Scenario] = ()) -> list[Scenario]:
    found: dict[str, Scenario] = {}
    for declared in (*(one for module in modules for one in scenarios_of(module)), *more):
        if declared.id in found:
            other = found[declared.id]
            raise ScenarioError(
                f"scenario {declared.id} is declared twice: {other.where} and {declared.where}; rename one"
            )
        found[declared.id] = declared
    return [found[key] for key in sorted(found)]


def _matching(root: Path, entry: str) -> list[Path]:
    """The test modules that an entry of the setting `scenarios` names. Raises ScenarioError if there are none."""
    try:
        paths = sorted(root.glob(entry))
    except (NotImplementedError, ValueError):
        paths = []
    if not paths:
        raise ScenarioError(
            f"{root / 'pyproject.toml'}: scenarios in [tool.lockstep] names {entry!r}, "
            "which is not a path below that file's folder"
        )
    return [file for path in paths for file in files_in(path) if path.is_file() or _may_declare(file)]


def _may_declare(file: Path) -> bool:
    """Whether a test module may have scenarios: others are not imported, for what they need may not be here."""
    try:
        text = file.read_bytes()
    except OSError:
        return True  # the import says what is wrong
    return b"lockstep" in text or b"scenario" in text


def _is_skipped(path: Path) -> bool:
    return any(part in _SKIPPED or part.startswith(".") for part in path.parts)


def _import_of(file: Path, root: Path) -> ModuleType:
    """The module of a file: under its name in a package, or under a separate name."""
    package = _package_root(file)
    if package != file.parent:
        _reachable(package)
        return _import(".".join(file.relative_to(package).with_suffix("").parts))
    _reachable(root)
    _reachable(file.parent)
    name = _name_of(file, root)
    known = sys.modules.get(name)
    if known is not None and Path(known.__file__ or "").resolve() == file:
        return known
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None, f"{file} is no Python file"
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        raise _import_failed(str(file), error) from error
    return module


def _name_of(file: Path, root: Path) -> str:
    inside = file.is_relative_to(root)
    parts = file.relative_to(root).with_suffix("").parts if inside else (file.parent.name, file.stem)
    return ".".join(part.replace(".", "_") for part in parts)


def _package_root(file: Path) -> Path:
    """The folder from which the file can be imported by its full name: the first one upwards that is not a package."""
    folder = file.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _reachable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except BaseException as error:
        raise _import_failed(name, error) from error


def _import_failed(what: str, error: BaseException) -> BaseException:
    """The error to raise: an exception from the import of a module must never end the command silently."""
    if isinstance(error, ScenarioError | KeyboardInterrupt):
        return error
    if type(error).__name__ in ("Skipped", "SkipTest"):
        return ScenarioError(f"{what} skips itself while it is imported: {error}; leave it out of `scenarios`")
    return ScenarioError(f"cannot import {what}: {type(error).__name__}: {error}")
