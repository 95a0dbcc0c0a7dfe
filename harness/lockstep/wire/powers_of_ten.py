"""Powers of ten: how quantities grow and shrink (apimachinery pkg/api/resource: math.go, scale_int.go)."""

from __future__ import annotations

import math

from lockstep.wire.gomath import MAX_INT64, MIN_INT64, int64

_MAX_DIGITS = 19  # decimal digits of the largest int64
_INT_DIGITS = 4000  # digits that Python converts at once
_SHORT_CUTS = (1, 2, 3, 6, 9)


def integer(digits: str) -> int:
    """The number with these digits, however many; Python's own conversion has a limit."""
    if len(digits) <= _INT_DIGITS:
        return int(digits)
    return integer(digits[:-_INT_DIGITS]) * power(_INT_DIGITS) + int(digits[-_INT_DIGITS:])


def power(digits: int) -> int:
    """Ten to that power, which is not negative."""
    result: int = 10**digits
    return result


def divide_up(value: int, digits: int) -> int:
    """Without the last digits, rounded away from zero (negativeScaleInt64)."""
    result = -(-abs(value) // power(digits))
    return result if value >= 0 else -result


def multiply(value: int, zeros: int) -> int:
    """The value times 10^zeros. If that overflows: its low bits after one of upstream's shortcuts, else 0.

    Upstream: positiveScaleInt64, whose callers do not check whether it fitted.
    """
    if not value or zeros > _MAX_DIGITS:
        return 0
    product = value * power(zeros)
    if MIN_INT64 <= product <= MAX_INT64:
        return product
    return int64(product) if zeros in _SHORT_CUTS and value != MIN_INT64 else 0


def strip(value: int, factor: int) -> tuple[int, int]:
    """`value` without the factor, and how often it contained the factor (removeInt64Factors)."""
    times = 0
    while value and value % factor == 0:
        value //= factor
        times += 1
    return value, times


def to_float(value: int) -> float:
    """The nearest float; infinite if there is none."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
