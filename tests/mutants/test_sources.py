"""The lists fit the sources: every mutant can be made, and is still a program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.mutants.catalogue import Mutant, load
from harness.mutants.mutation import mutated

ROOT = Path(__file__).parents[2]
_CACHE = Path(os.environ.get("GOMODCACHE") or Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg/mod")
UPSTREAM = _CACHE / f"k8s.io/kubernetes@v{load('upstream').release}"


@pytest.mark.parametrize("mutant", load("reference").mutants, ids=lambda one: one.name)
def test_a_mutant_of_the_reference_can_be_made(mutant: Mutant) -> None:
    compile(mutated((ROOT / mutant.file).read_text(), mutant), mutant.file, "exec")


if UPSTREAM.is_dir():  # only where Go has downloaded the module

    @pytest.mark.parametrize("mutant", load("upstream").mutants, ids=lambda one: one.name)
    def test_a_mutant_of_upstream_can_be_made(mutant: Mutant) -> None:
        text = (UPSTREAM / mutant.file).read_text()
        assert mutated(text, mutant) != text
