"""Go's math.Log2, bit for bit.

The ranking of pods for deletion compares the whole part of the base-2 logarithm of their ages. Python's math.log2
rounds differently in the last place, which moves ages next to a power of two into the other rank.

Source: Go's src/math/log.go and log10.go (FreeBSD's e_log.c): the operations below stand in the same order, because
each of them rounds.
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
_HALF_SQRT2 = math.sqrt(2) / 2
_INVERSE_LN2 = 1 / math.log(2)


def go_log(x: float) -> float:
    """The natural logarithm of `x` > 0 as Go's math.Log computes it on amd64."""
    f1, exponent = math.frexp(x)
    if f1 < _HALF_SQRT2:
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


def go_log2(x: float) -> float:
    """The binary logarithm of `x` > 0 as Go's math.Log2 computes it; exact for powers of two."""
    fraction, exponent = math.frexp(x)
    if fraction == 0.5:
        return float(exponent - 1)
    return go_log(fraction) * _INVERSE_LN2 + float(exponent)
