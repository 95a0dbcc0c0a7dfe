"""A list of mutants of a source that is not there, and a suite that needs no cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lockstep.quality.mutants.catalogue import Mutant

GO = Mutant("upstream", "replicaset", "no-limit", "There is no limit.", "pkg/a.go", "x > limit", "x > 2*limit", "Count")


@pytest.fixture
def mutant() -> Callable[..., Mutant]:
    def make(**changes: Any) -> Mutant:
        return replace(GO, **changes)

    return make
