"""No module needs itself: the imports at the top of all modules, those for types included, make no circle.

import-linter keeps the units of the harness in layers (`pyproject.toml`). It looks between units, and not at imports
that are there for types only. This looks at every module.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import lockstep
import lockstep.wire
import lockstep_conformance
import lockstep_reference

Arrows = Mapping[str, set[str]]


def modules(package: Path) -> dict[str, Path]:
    """The modules of a package, by their full names."""
    files = {path: path.relative_to(package.parent).with_suffix("").parts for path in package.rglob("*.py")}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in files.items()}


def top_level(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that take place, for a type checker at least, when the module is imported."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            inner = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
            handled = [child for handler in getattr(statement, "handlers", ()) for child in handler.body]
            yield from top_level(inner + handled)


def arrows(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """Which of the modules each one imports. A relative import is an error: the project has none."""
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        found[name] = set()
        for statement in top_level(ast.parse(path.read_text(encoding="utf-8")).body):
            if isinstance(statement, ast.Import):
                found[name] |= {alias.name for alias in statement.names}
            else:
                assert statement.module is not None, f"{path}:{statement.lineno}: write the module's full name"
                assert statement.level == 0, f"{path}:{statement.lineno}: write the module's full name"
                inside = {f"{statement.module}.{alias.name}" for alias in statement.names}
                found[name] |= {one if one in files else statement.module for one in inside}
        found[name] &= files.keys() - {name}
    return found


def circle(graph: Arrows) -> str:
    """One circle, spelled out; "" if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " <- ".join(error.args[1])
    return ""


def test_wire_needs_nothing_but_the_standard_library_and_orjson() -> None:
    allowed = {*sys.stdlib_module_names, "orjson", "lockstep.wire"}
    for path in Path(lockstep.wire.__path__[0]).rglob("*.py"):
        for statement in top_level(ast.parse(path.read_text(encoding="utf-8")).body):
            names = [one.name for one in statement.names] if isinstance(statement, ast.Import) else [statement.module]
            for name in names:
                root = ".".join(str(name).split(".")[: 2 if str(name).startswith("lockstep") else 1])
                assert root in allowed, f"{path.name}:{statement.lineno} imports {name}: it belongs to a higher layer"


@pytest.fixture(scope="module")
def project() -> Arrows:
    roots = (lockstep, lockstep_reference, lockstep_conformance)
    files: dict[str, Path] = {}
    for root in roots:
        files |= modules(Path(root.__path__[0]))
    return arrows(files)


def test_no_circle_of_imports(project: Arrows) -> None:
    assert circle(project) == ""


@pytest.mark.parametrize(
    "text",
    [
        "import made.a",
        "from made import a",
        "from made.a import thing",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from made.a import Thing",
        "try:\n    pass\nexcept ImportError:\n    from made.a import thing",
    ],
)
def test_a_circle_is_found_however_it_is_written(tmp_path: Path, text: str) -> None:
    package = tmp_path / "made"
    package.mkdir()
    for name, body in {"__init__": "", "a": "from made import b", "b": "from made.c import x", "c": text}.items():
        (package / f"{name}.py").write_text(body, encoding="utf-8")

    found = circle(arrows(modules(package)))

    assert found.count(" <- ") == 3
    assert set(found.split(" <- ")) == {"made.a", "made.b", "made.c"}


def test_an_import_inside_a_function_is_no_arrow(tmp_path: Path) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "a.py").write_text("import made.b", encoding="utf-8")
    (package / "b.py").write_text("def late():\n    import made.a", encoding="utf-8")

    assert circle(arrows(modules(package))) == ""
