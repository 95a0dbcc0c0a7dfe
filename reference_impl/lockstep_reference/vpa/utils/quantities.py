"""Arithmetic on quantities as the VPA does it (apimachinery pkg/api/resource/quantity.go; math/big)."""

from __future__ import annotations

from lockstep.wire.quantity import BINARY_SI, DECIMAL_SI, Quantity
from lockstep_reference.vpa.utils.panic import DIVISION_BY_ZERO, Panic

#: `Quantity{}`: what Go finds in a ResourceList that lacks a resource.
NOTHING = Quantity(0, 0, "")
#: What `ResourceList.Cpu()` and `.Memory()` give for a resource that is missing.
NO_CPU = Quantity(0, 0, DECIMAL_SI)
NO_MEMORY = Quantity(0, 0, BINARY_SI)


def compared_with(quantity: Quantity, other: Quantity) -> Quantity:
    """What upstream's comparison leaves of a quantity: the same number, in the second form if the other has that.

    The form decides how it is rounded, and what becomes of an overflow (Cmp, AsDec).
    """
    if quantity.big or not other.big:
        return quantity
    return Quantity(quantity.unscaled, quantity.scale, quantity.format, big=True, text=quantity.text)


def new_quantity(value: int, format_: str) -> Quantity:
    """So many units (NewQuantity)."""
    return Quantity(value, 0, format_)


def new_milli_quantity(value: int, format_: str) -> Quantity:
    """So many thousandths (NewMilliQuantity)."""
    return Quantity(value, -3, format_)


def euclidean_division(dividend: int, divisor: int) -> tuple[int, int]:
    """Quotient and remainder, which is never negative (big.Int.DivMod). Raises Panic for a divisor of 0."""
    if not divisor:
        raise Panic(DIVISION_BY_ZERO)
    if divisor > 0:
        return divmod(dividend, divisor)
    quotient, remainder = divmod(dividend, -divisor)
    return -quotient, remainder
