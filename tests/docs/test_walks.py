"""The pages to start with, done as a reader does them: in an empty folder, from the first command to the last."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.docs.test_documents import WALKED
from tools.walk import Command, File, steps, walk

_NAMES = [page.stem for page in WALKED]


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """`lockstep` and `python` are those of this process."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, command in (("python", [sys.executable]), ("lockstep", [sys.executable, "-m", "lockstep.cli"])):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        (programs / name).chmod(0o755)
    own = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    return {**kept, **own}


def test_the_pages_to_start_with_are_there() -> None:
    assert {"start-controller", "start-autoscaler", "start-tests", "start-upstream"} <= set(_NAMES)


@pytest.mark.parametrize("page", WALKED, ids=_NAMES)
def test_a_page_does_what_it_shows(page: Path, environment: Mapping[str, str], tmp_path: Path) -> None:
    """Up to where it needs Go."""
    folder = tmp_path / "empty"
    folder.mkdir()
    assert walk(page.read_text(encoding="utf-8"), folder, environment, with_go=False) == []


@pytest.mark.upstream
@pytest.mark.parametrize("page", WALKED, ids=_NAMES)
def test_a_page_does_what_it_shows_with_go(page: Path, environment: Mapping[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert walk(page.read_text(encoding="utf-8"), folder, environment) == []


@pytest.mark.parametrize(
    "page", [page for page in WALKED if page.name.startswith("start-")], ids=lambda page: page.stem
)
def test_a_page_to_start_with_begins_with_the_installation(page: Path) -> None:
    commands = [step for step in steps(page.read_text(encoding="utf-8")) if isinstance(step, Command)]
    assert [one.installs for one in commands[:3]] == [True, True, False]


PAGE = """\
Save this as `a/b.txt`:

```text
one
```

```console
$ cat a/b.txt
one
$ printf 'x\\ny\\nz\\n'
x
...
z
```
"""


def test_the_walk_itself(tmp_path: Path) -> None:
    found = list(steps(PAGE))
    assert found[0] == File("a/b.txt", "one\n")
    assert walk(PAGE, tmp_path, os.environ) == []
    [complaint] = walk(PAGE.replace("\none\n$", "\ntwo\n$"), tmp_path, os.environ)
    assert "it prints:\none" in complaint
    [complaint] = walk("```console\n$ false\n```\n", tmp_path, os.environ)
    assert "failed with 1" in complaint
