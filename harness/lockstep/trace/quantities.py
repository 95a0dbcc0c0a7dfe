"""Quantities as numbers, for the judge. Stored quantities have passed validation, so any other text is a mistake."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

_FORM = re.compile(r"([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([A-Za-z]*))")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


@lru_cache(maxsize=4096)
def amount(quantity: Any) -> Fraction:
    """The exact number that a quantity stands for, in base units. Raises ValueError on any other text."""
    found = _FORM.fullmatch(str(quantity))
    if found is None:
        raise ValueError(f"{quantity!r} is not a quantity")
    digits, exponent, suffix = found.groups()
    if suffix in _BINARY:
        return Fraction(digits) * Fraction(1024 ** (_BINARY.index(suffix) + 1))
    if not exponent and suffix not in _DECIMAL:
        raise ValueError(f"{quantity!r} is not a quantity")
    return Fraction(f"{digits}e{exponent[1:] if exponent else _DECIMAL[suffix]}")
