"""Copies of sources that may be changed: of one of upstream's modules, and of the reference."""

from __future__ import annotations

import compileall
import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from py_compile import PycInvalidationMode

from lockstep.implementations.upstream import module
from lockstep.implementations.upstream.build import cache_root
from lockstep.implementations.upstream.edits import linked_copy
from lockstep.implementations.upstream.golang import Progress, find_go
from lockstep.implementations.upstream.releases import RELEASES, parse
from lockstep.quality.mutants.catalogue import MutantError

_REFERENCE = "lockstep_reference"
#: The controllers that have their own module.
_VPA = "vpa"


@contextmanager
def upstream_tree(release: str, controller: str, progress: Progress) -> Iterator[Path]:
    """The module of `release` with a controller, as hard links into Go's module cache: replace files, never write to
    them.

    It always has the same path, so that Go's build cache applies. Raises BuildFailed without Go or the module, and
    MutantError while another process uses it.
    """
    folder = cache_root().parent / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise MutantError(f"another process is building mutants in {folder}; wait for it to end") from error
        module_root = _module(release, controller, progress)
        tree = folder / module_root.name  # the name contains the release
        shutil.rmtree(tree, ignore_errors=True)
        try:
            linked_copy(module_root, tree)
            yield tree
        finally:
            shutil.rmtree(tree, ignore_errors=True)


def _module(release: str, controller: str, progress: Progress) -> Path:
    with tempfile.TemporaryDirectory() as scratch:
        go = find_go(RELEASES[release])
        sources = module.fetch(parse(release), go, Path(scratch), progress)
        found = sources.vpa if controller == _VPA else sources.kubernetes
        if found is None:
            raise MutantError(f"release {release} has no source of controller {controller} to change")
        return found.root


@contextmanager
def reference_tree() -> Iterator[Path]:
    """A folder to put first on Python's path: it holds a copy of the reference.

    It is compiled, so that only changed files are compiled again. Python recognises them by the source's hash, because
    two mutants of one file may have the same size and time stamp.
    """
    found = find_spec(_REFERENCE)
    if found is None or not found.submodule_search_locations:
        raise MutantError(f"the package {_REFERENCE} is not installed; install all of Lockstep")
    with tempfile.TemporaryDirectory(prefix="lockstep-mutants-") as folder:
        target = Path(folder, _REFERENCE)
        shutil.copytree(found.submodule_search_locations[0], target, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(target, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        yield Path(folder)
