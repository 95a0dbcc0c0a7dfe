"""Go's logarithm and powers, bit for bit on amd64.

Python's functions are those of the C library, which round otherwise in the last place for one number in ten; a bucket's
bound, a sample's weight or an age's rank can then come out on the other side.

Source: Go's src/math/log_amd64.s, pow.go, exp.go and ldexp.go, which follow FreeBSD's e_log.c and e_exp.c. The
operations below stand in the same order, because each of them rounds.
"""

from __future__ import annotations

import math

_LN2_HI = 6.93147180369123816490e-01
_LN2_LO = 1.90821492927058770002e-10
_L1 = 6.666666666666735130e-01
_L2 = 3.999999999940941908e-01
_L3 = 2.857142874366239149e-01
_L4 = 2.222219843214978396e-01
_L5 = 1.818357216161805012e-01
_L6 = 1.531383769920937332e-01
_L7 = 1.479819860511658591e-01
_P1 = 1.66666666666666657415e-01
_P2 = -2.77777777770155933842e-03
_P3 = 6.61375632143793436117e-05
_P4 = -1.65339022054652515390e-06
_P5 = 4.13813679705723846039e-08
_HALF_SQRT2 = math.sqrt(2) / 2
_LARGEST_EXP2 = 1.0239999999999999e03
_SMALLEST_EXP2 = -1.0740e03
_LARGEST_SQUARE = 1 << 12


def go_log(x: float) -> float:
    """math.Log(x), but for numbers too small to be normal."""
    if not 0 < x < math.inf:
        return x if x == math.inf else -math.inf if x == 0 else math.nan
    f1, exponent = math.frexp(x)
    if f1 <= _HALF_SQRT2:
        f1 *= 2
        exponent -= 1
    f = f1 - 1
    k = float(exponent)
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (_L1 + s4 * (_L3 + s4 * (_L5 + s4 * _L7)))
    t2 = s4 * (_L2 + s4 * (_L4 + s4 * _L6))
    half_square = 0.5 * f * f
    return k * _LN2_HI - ((half_square - (s * (half_square + (t1 + t2)) + k * _LN2_LO)) - f)


def go_exp2(x: float) -> float:
    """math.Exp2(x)."""
    if not _SMALLEST_EXP2 <= x <= _LARGEST_EXP2:
        return math.inf if x > 0 else 0.0 if x < 0 else x
    k = int(x + 0.5) if x > 0 else int(x - 0.5)
    rest = x - float(k)
    high = rest * _LN2_HI
    low = -rest * _LN2_LO
    r = high - low
    t = r * r
    c = r - t * (_P1 + t * (_P2 + t * (_P3 + t * (_P4 + t * _P5))))
    return go_ldexp(1 - ((low - (r * c) / (2 - c)) - high), k)


def go_ldexp(fraction: float, exponent: int) -> float:
    """math.Ldexp(fraction, exponent): infinite where Python raises OverflowError."""
    try:
        return math.ldexp(fraction, exponent)
    except OverflowError:
        return math.copysign(math.inf, fraction)


def go_pow(x: float, y: int) -> float:
    """math.Pow(x, y) for a whole `y`: by squaring, with the power of two kept apart."""
    if y == 0 or x == 1:
        return 1.0
    if y == 1 or math.isnan(x):
        return x
    if x == 0 or math.isinf(x):
        size = 0.0 if (x == 0) == (y > 0) else math.inf
        return math.copysign(size, x) if y % 2 else size
    result, exponent = 1.0, 0
    square, square_exponent = math.frexp(x)
    rest = abs(y)
    while rest:
        if abs(square_exponent) > _LARGEST_SQUARE:
            exponent += square_exponent
            break
        if rest & 1:
            result *= square
            exponent += square_exponent
        square *= square
        square_exponent <<= 1
        if square < 0.5:
            square += square
            square_exponent -= 1
        rest >>= 1
    return go_ldexp(1 / result, -exponent) if y < 0 else go_ldexp(result, exponent)
