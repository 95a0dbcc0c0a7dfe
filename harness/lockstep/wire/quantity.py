"""Quantities: decimal numbers with a suffix, such as 250m, 1.5Gi or 12e6 (apimachinery pkg/api/resource).

A quantity has one of two forms, and overflow shows which: 64 bits with a decimal scale (int64Amount), or, where these
do not suffice when it is parsed, an integer of any size (infDecAmount, rounded up to nanos). Sums that overflow have
the second form, too, and so has a quantity that was compared with one in that form. A value that does not fit into 64
bits is cut to its low bits, or becomes 0 for some scales of the first form.

One difference from upstream: numbers such as 12345678901234567890e999999999 are handled at once, while upstream
computes all of their digits.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from lockstep.wire.gomath import (
    MAX_INT64,
    MIN_INT64,
    float_to_int64,
    int32,
    int64,
    pow10,
    quotient,
)
from lockstep.wire.powers_of_ten import divide_up, integer, multiply, power, strip, to_float

DECIMAL_SI = "DecimalSI"
BINARY_SI = "BinarySI"
DECIMAL_EXPONENT = "DecimalExponent"

_NANO = -9
_MILLI = -3
_MAX_DIGITS = 18  # decimal digits that always fit into an int64 (maxInt64Factors)
_INT64_DIGITS = 19  # decimal digits of the largest int64 (log10MaxInt64)
_FLOAT_DIGITS = 400  # a number with more digits than this is infinite as a float
_PLAIN_DIGITS = 14
_LEAST_BINARY = 1024  # smaller numbers have no binary suffix
_DIGITS_PER_BIT = math.log10(2)
_TEXT = re.compile(r"([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_BY_EXPONENT = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_BY_EXPONENT = {exponent // 10: suffix for suffix, exponent in _BINARY_SUFFIXES.items()}


class InvalidQuantity(ValueError):
    """The text is not a quantity; `str()` is upstream's message (ErrFormatWrong, ErrNumeric, ErrSuffix)."""


_WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NOT_NUMERIC = "unable to parse numeric part of quantity"
_WRONG_SUFFIX = "unable to parse quantity's suffix"


class Quantity:
    """`unscaled` * 10^`scale`; immutable.

    `big` marks the second form, `text` is the parsed text if that is canonical.
    """

    __slots__ = ("big", "format", "scale", "text", "unscaled")

    def __init__(self, unscaled: int, scale: int, format_: str, *, big: bool = False, text: str = "") -> None:
        self.unscaled = unscaled
        self.scale = scale
        self.format = format_
        self.big = big
        self.text = text

    def value(self) -> int:
        """In units, rounded up (Value)."""
        return self.scaled_value(0)

    def milli_value(self) -> int:
        """In thousandths, rounded up (MilliValue)."""
        return self.scaled_value(_MILLI)

    def scaled_value(self, scale: int) -> int:
        """In units of 10^scale, as an int64, which may overflow (ScaledValue).

        Negative numbers are rounded down in the first form and, mostly, up in the second.
        """
        if self.big:
            return self._scaled_big(scale)
        if self.scale < scale:
            return divide_up(self.unscaled, scale - self.scale)
        return multiply(self.unscaled, self.scale - scale)

    def _scaled_big(self, scale: int) -> int:
        """In the second form (scale_int.go, scaledValue)."""
        digits = scale - self.scale
        if digits <= 0:
            return int64(int64(self.unscaled) * float_to_int64(pow10(-digits)))
        divisor = power(digits)
        if self.unscaled < MAX_INT64 and digits < _INT64_DIGITS:
            unscaled = int64(self.unscaled)
            return quotient(unscaled, divisor) + (unscaled % divisor != 0)
        return int64(-(-self.unscaled // divisor))

    def as_approximate_float64(self) -> float:
        """The nearest float, or nearly so; infinite if it is too large (AsApproximateFloat64)."""
        return to_float(self.unscaled) * pow10(self.scale) if self.scale else to_float(self.unscaled)

    def exact(self) -> Fraction:
        """The number itself, without rounding or overflow."""
        return Fraction(self.unscaled) * Fraction(10) ** self.scale

    @property
    def sign(self) -> int:
        """-1, 0 or 1 (Sign)."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    def plus(self, other: Quantity) -> Quantity:
        """The sum; in the second form if it does not fit into the first (Add)."""
        if not self.unscaled or not other.unscaled:
            same = self if self.unscaled else other
            return Quantity(same.unscaled, same.scale, same.format, big=self.big or other.big)
        scale = min(self.scale, other.scale)
        first, second = self._at(scale), other._at(scale)
        fits = all(MIN_INT64 <= number <= MAX_INT64 for number in (first, second, first + second))
        return Quantity(first + second, scale, self.format, big=self.big or other.big or not fits)

    def minus(self, other: Quantity) -> Quantity:
        """The difference (Sub)."""
        return self.plus(Quantity(-other.unscaled, other.scale, other.format, big=other.big))

    def compare(self, other: Quantity) -> int:
        """-1, 0 or 1: this quantity is smaller, equal or larger (Cmp)."""
        if self.scale == other.scale or self.sign != other.sign:
            first, second = self.unscaled, other.unscaled
        elif abs(gap := self._magnitude() - other._magnitude()) > 1:
            first, second = (self.sign, 0) if gap > 0 else (0, self.sign)  # no need for all of their digits
        else:
            scale = min(self.scale, other.scale)
            first, second = self._at(scale), other._at(scale)
        return (first > second) - (first < second)

    def _magnitude(self) -> float:
        """Its decimal logarithm, to the nearest third."""
        return self.scale + self.unscaled.bit_length() * _DIGITS_PER_BIT

    def _at(self, scale: int) -> int:
        """The number in units of 10^scale, which is not larger than its own."""
        return self.unscaled * power(self.scale - scale)

    def __str__(self) -> str:
        """The canonical form (String, CanonicalizeBytes)."""
        if self.text:
            return self.text
        if not self.unscaled:
            return "0"
        binary = self.format == BINARY_SI
        whole = self._whole() if binary else 0
        if abs(whole) >= _LEAST_BINARY:
            if self.unscaled == MIN_INT64 and not self.scale and not self.big:
                return str(MIN_INT64)  # its negation overflows, so it cannot be divided (removeInt64Factors)
            mantissa, exponent = strip(whole, 1024)
            return f"{mantissa}{_BINARY_BY_EXPONENT.get(exponent, '')}"
        mantissa, zeros = strip(self.unscaled, 10)
        exponent = self.scale + zeros
        mantissa *= 10 ** (exponent % 3)
        exponent -= exponent % 3
        if binary or self.format == DECIMAL_SI:
            return f"{mantissa}{_DECIMAL_BY_EXPONENT.get(exponent, '')}"
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)

    def _whole(self) -> int:
        """The number of units; 0 if they are not whole."""
        if self.scale >= 0:
            return self.unscaled * power(self.scale)
        whole, rest = divmod(self.unscaled, power(-self.scale))
        return 0 if rest else whole


def read_quantity(sent: Any) -> Quantity:
    """The quantity in a JSON value that is not null (UnmarshalJSON). Raises InvalidQuantity."""
    if type(sent) is str:
        return parse_quantity(sent.strip())
    if type(sent) in (int, float):
        return parse_quantity(str(sent))
    raise InvalidQuantity(_WRONG_FORMAT)


@lru_cache(maxsize=16384)
def parse_quantity(text: str) -> Quantity:
    """The quantity that `text` names (ParseQuantity). Raises InvalidQuantity."""
    match = _TEXT.fullmatch(text) if text else None
    if match is None:
        raise InvalidQuantity(_WRONG_FORMAT)
    if text == "0":
        return Quantity(0, 0, DECIMAL_SI, text=text)
    sign, _, number, fraction, suffix = match.groups("")
    number = number or "0"
    exponent, format_ = _interpret(suffix)
    if format_ == BINARY_SI:
        scale, mantissa = 0, 1 << exponent
        room = 15 - len(number) - exponent * 3 // 10 - 1 if not fraction else -1
    else:
        scale, mantissa = exponent, 1
        room = _MAX_DIGITS - len(number) - len(fraction)
    if room >= 0:
        scale = int32(scale - len(fraction))
        if scale >= _NANO:
            digits = number + fraction
            value = int(digits)
            if _is_canonical(format_, value, scale, digits):
                return Quantity(-value * mantissa if sign == "-" else value * mantissa, scale, format_, text=text)
            return Quantity(-value * mantissa if sign == "-" else value * mantissa, scale, format_)
    if not (match[2] or match[3] or match[4]):
        raise InvalidQuantity(_NOT_NUMERIC)  # a sign, a point or a suffix, and no digit
    return _parse_big(sign == "-", integer(number + fraction), len(fraction), exponent, format_)


def _interpret(suffix: str) -> tuple[int, str]:
    """Exponent and format (suffixer.go, interpret)."""
    decimal = _DECIMAL_SUFFIXES.get(suffix)
    if decimal is not None:
        return decimal, DECIMAL_SI
    binary = _BINARY_SUFFIXES.get(suffix)
    if binary is not None:
        return binary, BINARY_SI
    match = _EXPONENT.fullmatch(suffix)
    exponent = int(match[1]) if match else MAX_INT64 + 1
    if not MIN_INT64 <= exponent <= MAX_INT64:
        raise InvalidQuantity(_WRONG_SUFFIX)
    return int32(exponent), DECIMAL_EXPONENT


def _is_canonical(format_: str, value: int, scale: int, digits: str) -> bool:
    """Whether upstream keeps the text as it is."""
    if format_ == BINARY_SI:
        return value & 7 != 0
    return scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _parse_big(negative: bool, unscaled: int, fraction: int, exponent: int, format_: str) -> Quantity:
    """The second form: rounded up to nanos, and at most MaxInt64 if binary."""
    scale = -int32(fraction - exponent)
    if format_ == BINARY_SI:
        unscaled, scale = (unscaled << exponent) * 10**-_NANO, -fraction + _NANO
    if unscaled and scale < _NANO:
        shift = _NANO - scale
        # Ten has more than three bits: the power of ten is computed only if it is not larger than the number.
        unscaled, scale = (-(-unscaled // 10**shift) if 3 * shift < unscaled.bit_length() else 1), _NANO
    if format_ == BINARY_SI and unscaled > MAX_INT64 * 10**-_NANO:
        unscaled, scale = MAX_INT64, 0
    elif unscaled and scale > _NANO and format_ != BINARY_SI:
        # Beyond this many digits, no bit is left in 64 bits, and a float is infinite.
        zeros = min(scale - _NANO, _FLOAT_DIGITS)
        unscaled, scale = unscaled * power(zeros), scale - zeros
    elif format_ == BINARY_SI and 0 < unscaled < 10**-_NANO:
        format_ = DECIMAL_SI
    return Quantity(-unscaled if negative else unscaled, scale, format_, big=True)


@lru_cache(maxsize=65536)
def parse_milli_value(text: str) -> int:
    """ParseQuantity(text).MilliValue(). Raises InvalidQuantity."""
    number = text[:-1]
    if text.isascii() and number.isdigit() and len(number) <= _PLAIN_DIGITS:
        # the form of most metrics and requests; too short to overflow, so that no other case matters
        suffix = text[-1]
        if suffix == "n":
            return -(-int(number) // 10**6)
        if suffix == "m":
            return int(number)
        if suffix.isdigit():
            return int(text) * 1000
    return parse_quantity(text).milli_value()


@lru_cache(maxsize=1024)
def parse_approximate_float(text: str) -> float:
    """ParseQuantity(text).AsApproximateFloat64(). Raises InvalidQuantity."""
    return parse_quantity(text).as_approximate_float64()


@lru_cache(maxsize=65536)
def format_milli(value: int, *, binary: bool = False) -> str:
    """NewMilliQuantity(value, DecimalSI or BinarySI).String(); `value` in thousandths."""
    return str(Quantity(value, _MILLI, BINARY_SI if binary else DECIMAL_SI))
