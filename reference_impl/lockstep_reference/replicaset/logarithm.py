"""Go's math.Log2, bit for bit.

The ranking of pods for deletion compares the whole part of the base-2 logarithm of their ages. Python's math.log2
rounds differently in the last place, which moves ages next to a power of two into the other rank.

Source: Go's src/math/log10.go.
"""

from __future__ import annotations

import math

from lockstep.wire.elementary import go_log

_INVERSE_LN2 = 1 / math.log(2)


def go_log2(x: float) -> float:
    """The binary logarithm of `x` > 0 as Go's math.Log2 computes it; exact for powers of two."""
    fraction, exponent = math.frexp(x)
    if fraction == 0.5:
        return float(exponent - 1)
    return go_log(fraction) * _INVERSE_LN2 + float(exponent)
