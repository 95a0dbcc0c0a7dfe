"""Explicit assertions of a scenario, counted: a scenario that asserted nothing is not green."""

from __future__ import annotations

from typing import Any


class ExpectationFailed(AssertionError):
    """An assertion of a scenario does not hold; the message says what, when, and both values."""


class Checks:
    """Counts assertions and words the ones that fail."""

    def __init__(self) -> None:
        self.evaluated = 0

    def equal(self, what: str, actual: Any, wanted: Any, moment: str) -> None:
        """`actual` must equal `wanted`."""
        self.evaluated += 1
        if actual != wanted:
            raise ExpectationFailed(f"{what}: expected {wanted!r}, got {actual!r} (at {moment})")

    def true(self, what: str, holds: object, moment: str) -> None:
        """`holds` must be true."""
        self.evaluated += 1
        if not holds:
            raise ExpectationFailed(f"{what}: does not hold (at {moment})")
