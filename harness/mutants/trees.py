"""Sources that may be changed: a copy of upstream's module, and one of the reference."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from harness.mutants.errors import MutantError
from harness.upstream import module
from harness.upstream.build import cache_root
from harness.upstream.golang import Progress, find_go
from harness.upstream.releases import RELEASES, parse

_REFERENCE = "reference_impl"


@contextmanager
def upstream_tree(release: str, progress: Progress) -> Iterator[Path]:
    """The source tree of `release`, hard links into Go's module cache: replace files in it, never write to one.

    It always has the same path, so that Go's build cache knows it. Raises BuildFailed without Go or the module, and
    MutantError while another process has it.
    """
    folder = cache_root().parent / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise MutantError(f"another process is building mutants in {folder}; wait for it to end") from error
        tree = folder / f"kubernetes@v{release}"
        shutil.rmtree(tree, ignore_errors=True)
        try:
            linked_copy(_module(release, progress), tree)
            yield tree
        finally:
            shutil.rmtree(tree, ignore_errors=True)


def _module(release: str, progress: Progress) -> Path:
    with tempfile.TemporaryDirectory() as scratch:
        go = find_go(RELEASES[release])
        return module.fetch(parse(release), go, Path(scratch), progress).root


def linked_copy(source: Path, target: Path) -> None:
    """Copy a tree by hard links, or file by file where the file system has none across the two places."""
    for folder, _, files in os.walk(source):
        here = target / Path(folder).relative_to(source)
        here.mkdir(parents=True)  # not the source's mode: folders of the module cache are read-only
        for name in files:
            try:
                os.link(Path(folder, name), here / name)
            except OSError:
                shutil.copyfile(Path(folder, name), here / name)


@contextmanager
def reference_tree() -> Iterator[Path]:
    """A folder to put first on Python's path: it holds a copy of the reference."""
    found = find_spec(_REFERENCE)
    if found is None or not found.submodule_search_locations:
        raise MutantError(f"the package {_REFERENCE} is not installed; install all of Lockstep")
    with tempfile.TemporaryDirectory(prefix="lockstep-mutants-") as folder:
        target = Path(folder, _REFERENCE)
        shutil.copytree(found.submodule_search_locations[0], target, ignore=shutil.ignore_patterns("__pycache__"))
        yield Path(folder)
