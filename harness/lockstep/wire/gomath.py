"""Go's arithmetic where it differs from Python's: integers wrap, division truncates, floats never raise.

Conversions from float are those of Go on amd64: a value that does not fit, and NaN, becomes the smallest integer. Go's
specification does not define that, so other machines give other numbers.
"""

from __future__ import annotations

import math

MAX_INT32 = 2**31 - 1
MIN_INT32 = -(2**31)
MAX_INT64 = 2**63 - 1
MIN_INT64 = -(2**63)
_POW10 = [float(f"1e{exponent}") for exponent in range(32)]
_LARGEST_POW10 = 308
_SMALLEST_POW10 = -323


def int32(value: int) -> int:
    """The lowest 32 bits, as a signed number."""
    return value if MIN_INT32 <= value <= MAX_INT32 else ((value + 2**31) & 0xFFFFFFFF) - 2**31


def int64(value: int) -> int:
    """The lowest 64 bits, as a signed number."""
    return value if MIN_INT64 <= value <= MAX_INT64 else ((value + 2**63) & 0xFFFFFFFFFFFFFFFF) - 2**63


def quotient(dividend: int, divisor: int) -> int:
    """Integer division that cuts off towards zero. Raises ZeroDivisionError, where Go panics."""
    if dividend >= 0 and divisor > 0:
        return dividend // divisor
    result = abs(dividend) // abs(divisor)
    return int64(result if (dividend < 0) == (divisor < 0) else -result)


def divide(dividend: float, divisor: float) -> float:
    """Division of floats: by zero it is infinite, or NaN."""
    if divisor:
        return dividend / divisor
    if not dividend or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def float_to_int32(value: float) -> int:
    """int32(value): cut off towards zero; what does not fit is the smallest number."""
    return int(value) if MIN_INT32 - 1 < value < MAX_INT32 + 1 else MIN_INT32


def float_to_int64(value: float) -> int:
    """int64(value): cut off towards zero; what does not fit is the smallest number."""
    return int(value) if MIN_INT64 <= value < -float(MIN_INT64) else MIN_INT64


def ceil_to_int32(value: float) -> int:
    """int32(math.Ceil(value))."""
    return math.ceil(value) if MIN_INT32 - 1 < value <= MAX_INT32 else MIN_INT32


def ceil_to_int64(value: float) -> int:
    """int64(math.Ceil(value))."""
    return math.ceil(value) if MIN_INT64 <= value < -float(MIN_INT64) else MIN_INT64


def pow10(exponent: int) -> float:
    """Ten to that power, as math.Pow10 rounds it: two factors below the normal range of its table."""
    if exponent > _LARGEST_POW10:
        return math.inf
    if exponent < _SMALLEST_POW10:
        return 0.0
    high, low = divmod(abs(exponent), 32)
    if exponent >= 0:
        return float(f"1e{32 * high}") * _POW10[low]
    return float(f"1e-{32 * high}") / _POW10[low]
