"""Both sides of a benchmark played by the reference: no Go is needed to test how figures are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lockstep.implementations import Implementation
from lockstep.implementations.reference import Reference
from lockstep.quality.bench import sides as sides_module
from lockstep.quality.bench.sides import Sides


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sides]:
    opened: list[str] = []

    def open_implementation(spec: str, release: str, progress: object) -> Implementation:
        opened.append(spec)
        return Reference()

    monkeypatch.setattr(sides_module, "open_implementation", open_implementation)
    with Sides(lambda _: None) as both:
        yield both
    assert len(opened) == len(set(opened)), "an implementation was opened twice"
