"""Resource quantities: `100m`, `1Gi`, `2e3` as exact numbers, and back to their canonical spelling.

From apimachinery/pkg/api/resource/quantity.go. Amounts are held in thousandths, rounded up, as far as this server needs
them (quota and LimitRange arithmetic).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any

_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_PATTERN = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?[0-9]+))")
_WORDING = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@lru_cache(maxsize=4096)
def parse(text: Any) -> Fraction:
    """The amount as an exact number. Raises ValueError, worded as upstream, when it is no quantity."""
    found = _PATTERN.fullmatch(str(text))
    if found is None:
        raise ValueError(_WORDING)
    number = Fraction(found[1])
    if found[2]:
        return number * _BINARY[found[2]]
    return number * Fraction(10) ** int(found[4] or _DECIMAL[found[3] or ""])


def _suffixed(amount: Fraction, binary: bool) -> str:
    if amount == 0:
        return "0"
    if binary and amount.denominator == 1:
        for suffix, factor in reversed(_BINARY.items()):
            if amount % factor == 0:
                return f"{amount // factor}{suffix}"
        return str(amount.numerator)
    for suffix in ("E", "P", "T", "G", "M", "k", ""):
        if (amount / 10 ** _DECIMAL[suffix]).denominator == 1:
            return f"{amount / 10 ** _DECIMAL[suffix]}{suffix}"
    return f"{ceil(amount * 1000)}m"


def spell(amount: Fraction, like: Any = "") -> str:
    """The canonical spelling; binary suffixes if `like`, the amount it derives from, is written with one."""
    return _suffixed(amount, str(like).endswith("i"))
