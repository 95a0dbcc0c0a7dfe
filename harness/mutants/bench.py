"""Where mutants are made and tried: one bench for each kind. `ready` holds the mutant for as long as a block lasts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.mutants import trees
from harness.mutants.catalogue import Mutant
from harness.mutants.errors import MutantError
from harness.mutants.mutation import applied
from harness.upstream.build import build
from harness.upstream.errors import BuildFailed
from harness.upstream.golang import Progress


class Bench(Protocol):
    """What the prover needs to know of a kind."""

    @property
    def implementation(self) -> str:
        """The name of the implementation, as `--implementation` takes it."""

    @property
    def reference(self) -> Path | None:
        """A folder with the reference to use; None for the one that is installed."""

    @contextmanager
    def ready(self, mutant: Mutant | None) -> Iterator[None]:
        """Have the mutant, or with None the unmodified source, ready to run. Raises MutantError."""


@dataclass(frozen=True, slots=True)
class UpstreamBench:
    """Mutants of upstream, in a tree of their own; each is built, tried and thrown away."""

    tree: Path
    progress: Progress

    @property
    def implementation(self) -> str:
        return f"upstream:path={self.tree}"

    @property
    def reference(self) -> Path | None:
        return None

    @contextmanager
    def ready(self, mutant: Mutant | None) -> Iterator[None]:
        if mutant is None:
            with self._built("the copy of upstream", self.progress):
                yield
        else:
            with applied(self.tree, mutant), self._built(f"mutant {mutant.id}", _silent):
                yield

    @contextmanager
    def _built(self, what: str, progress: Progress) -> Iterator[None]:
        try:
            folder = build(f"path={self.tree}", progress).path.parent
        except BuildFailed as error:
            raise MutantError(f"{what} does not compile, so it proves nothing: {error}") from error
        try:
            yield
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            folder.with_name(f".{folder.name}.lock").unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class ReferenceBench:
    """Mutants of the reference, in a copy that a fresh process finds first."""

    tree: Path

    @property
    def implementation(self) -> str:
        return "reference"

    @property
    def reference(self) -> Path | None:
        return self.tree

    @contextmanager
    def ready(self, mutant: Mutant | None) -> Iterator[None]:
        if mutant is None:
            yield
        else:
            with applied(self.tree, mutant):
                yield


def _silent(_: str) -> None:
    """One line for each mutant is enough."""


@contextmanager
def bench_for(kind: str, release: str, progress: Progress) -> Iterator[Bench]:
    """The bench of a kind of mutants."""
    if kind == "reference":
        with trees.reference_tree() as folder:
            yield ReferenceBench(folder)
    else:
        with trees.upstream_tree(release, progress) as tree:
            yield UpstreamBench(tree, progress)
