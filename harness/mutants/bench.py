"""Where mutants are made and tried: one bench for each kind."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.mutants import trees
from harness.mutants.catalogue import Mutant
from harness.mutants.errors import MutantError
from harness.mutants.mutation import applied
from harness.upstream.build import build
from harness.upstream.errors import BuildFailed
from harness.upstream.golang import Progress


@dataclass(frozen=True, slots=True)
class Bench:
    """What it takes to try mutants of one kind.

    `implementation` as `--implementation` takes it; `reference`, a folder with the reference to use, or None for the
    one that is installed; `ready(mutant)` has the mutant, or with None the unmodified source, ready to run for as long
    as a block lasts, and raises MutantError if it cannot.
    """

    implementation: str
    reference: Path | None
    ready: Callable[[Mutant | None], AbstractContextManager[None]]


@contextmanager
def bench_for(kind: str, release: str, progress: Progress) -> Iterator[Bench]:
    """The bench of a kind of mutants."""
    if kind == "reference":
        with trees.reference_tree() as folder:
            yield Bench(kind, folder, partial(_changed, folder))
    else:
        with trees.upstream_tree(release, progress) as tree:
            yield Bench(f"upstream:path={tree}", None, partial(_built, tree, progress))


def _changed(tree: Path, mutant: Mutant | None) -> AbstractContextManager[None]:
    return nullcontext() if mutant is None else applied(tree, mutant)


@contextmanager
def _built(tree: Path, progress: Progress, mutant: Mutant | None) -> Iterator[None]:
    """A build of the tree, thrown away at the end: there are many, and each is large."""
    with _changed(tree, mutant):
        try:
            folder = build(f"path={tree}", _silent if mutant else progress).path.parent
        except BuildFailed as error:
            what = f"mutant {mutant.id}" if mutant else "the copy of upstream"
            raise MutantError(f"{what} does not compile, so it proves nothing: {error}") from error
        try:
            yield
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            folder.with_name(f".{folder.name}.lock").unlink(missing_ok=True)


def _silent(_: str) -> None:
    """One line for each mutant is enough."""
