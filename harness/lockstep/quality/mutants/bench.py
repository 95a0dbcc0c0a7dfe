"""Making mutants and getting them ready to run: one bench for each kind."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lockstep.implementations.upstream.build import build
from lockstep.implementations.upstream.errors import BuildFailed
from lockstep.implementations.upstream.golang import Progress
from lockstep.quality.mutants import switches, trees
from lockstep.quality.mutants.catalogue import Mutant, MutantError
from lockstep.quality.mutants.mutation import applied


@dataclass(frozen=True, slots=True)
class Bench:
    """Makes mutants of one kind ready to be tried.

    `implementation`: as for `--implementation`. `reference`: a folder with the reference to use, or None for the
    installed one. `ready(mutant)` makes the mutant, or with None the unmodified controller, ready to run for the
    duration of a block. It raises MutantError if it cannot.
    """

    implementation: str
    reference: Path | None
    ready: Callable[[Mutant | None], AbstractContextManager[None]]


@contextmanager
def bench_for(kind: str, release: str, mutants: Sequence[Mutant], progress: Progress) -> Iterator[Bench]:
    """The bench for some mutants of one kind and one controller."""
    if kind == "reference":
        with trees.reference_tree() as folder:
            yield Bench(kind, folder, partial(_changed, folder))
        return
    with trees.upstream_tree(release, mutants[0].controller, progress) as tree:
        alone = switches.install(tree, mutants)
        with _build(tree, "the copy of upstream with its mutants", progress) as program:
            yield Bench(f"upstream:path={tree}", None, partial(_chosen, tree, program, alone))


def _changed(tree: Path, mutant: Mutant | None) -> AbstractContextManager[None]:
    return nullcontext() if mutant is None else applied(tree, mutant)


@contextmanager
def _chosen(tree: Path, program: Path, alone: Collection[Mutant], mutant: Mutant | None) -> Iterator[None]:
    """The program of all mutants with this mutant switched on, or a build of this mutant only."""
    if mutant is None:
        yield
    elif mutant in alone:
        with applied(tree, mutant), _build(tree, f"mutant {mutant.id}", _silent):
            yield
    else:
        with switches.on(program, mutant):
            yield


@contextmanager
def _build(tree: Path, what: str, progress: Progress) -> Iterator[Path]:
    """The folder of a build of the tree, which is removed at the end, because builds are large."""
    try:
        folder = build(f"path={tree}", progress).path.parent
    except BuildFailed as error:
        raise MutantError(f"{what} does not compile, so it proves nothing: {error}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_name(f".{folder.name}.lock").unlink(missing_ok=True)


def _silent(_: str) -> None:
    """One line for each mutant is enough."""
