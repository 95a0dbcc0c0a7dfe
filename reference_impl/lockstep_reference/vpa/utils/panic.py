"""Upstream's panics: the process ends, or, in the admission server, one request gets no answer.

Some input that should be harmless makes upstream panic. The reference does the same, so that the two can be compared.
"""

from __future__ import annotations

NIL_DEREFERENCE = "runtime error: invalid memory address or nil pointer dereference"
ASSIGNMENT_TO_NIL_MAP = "assignment to entry in nil map"
DIVISION_BY_ZERO = "division by zero"


class Panic(Exception):
    """Upstream panics here; `str()` is Go's message."""
