"""How a real server spells the quantities that it decodes: `0.5` comes back as `500m`, but `1.500` as `1.500`.

From apimachinery/pkg/api/resource/quantity.go: ParseQuantity, CanonicalizeBytes and MarshalJSON. A quantity keeps the
text that it was read from where the parser thinks that text canonical; otherwise it is written in the largest suffix
that loses nothing. Amounts are exact integers here, with a power of ten or two beside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NO_SUFFIX = "unable to parse quantity's suffix"
_NO_NUMBER = "unable to parse numeric part of quantity"
_TEXT = re.compile(r"([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent: suffix for suffix, exponent in _BINARY.items()}
_LARGEST = 2**63 - 1
#: Powers of ten that an int64 holds for certain (math.go maxInt64Factors).
_FACTORS = 18
_NANO = -9
_SI, _EXPONENTS, _BINARY_SI = "DecimalSI", "DecimalExponent", "BinarySI"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text` as it goes over the wire; `sign` is -1, 0 or 1."""

    text: str
    sign: int


@dataclass(frozen=True, slots=True)
class _Parts:
    text: str
    negative: bool
    #: Whether there is a digit at all.
    number: bool
    #: Digits before the point, without leading zeros, and after it.
    whole: str
    fraction: str
    exponent: int
    format: str


def quantity(sent: Any) -> Quantity:
    """The quantity in a JSON value (Quantity.UnmarshalJSON). Raises ValueError, worded as upstream, if it is none."""
    if type(sent) is str:
        return _parse(sent.strip())
    if type(sent) in (int, float):
        return _parse(str(sent))
    raise ValueError(_WRONG)


@lru_cache(maxsize=4096)
def _parse(text: str) -> Quantity:
    """ParseQuantity: a fast path for what fits an int64, and exact arithmetic for the rest."""
    parts = _split(text)
    quick = _quick(parts)
    if quick is not None:
        return quick
    if not parts.number:
        raise ValueError(_NO_NUMBER)
    mantissa, exponent = int(parts.whole + parts.fraction), -len(parts.fraction)
    if parts.format == _BINARY_SI:
        mantissa <<= parts.exponent
    else:
        exponent += parts.exponent
    mantissa, exponent = _at_least_nano(mantissa, exponent)
    form = parts.format
    if form == _BINARY_SI:
        if _compare(mantissa, exponent, _LARGEST) > 0:
            mantissa, exponent = _LARGEST, 0
        if mantissa and _compare(mantissa, exponent, 1) < 0:
            form = _SI
    return _spelled(-mantissa if parts.negative else mantissa, exponent, form)


def _split(text: str) -> _Parts:
    found = _TEXT.fullmatch(text)
    if not text or found is None:
        raise ValueError(_WRONG)
    sign, zeros, whole, fraction, suffix = found.groups()
    exponent, form = _interpret(suffix)
    return _Parts(text, sign == "-", bool(zeros or whole or fraction), whole or "0", fraction or "", exponent, form)


def _interpret(suffix: str) -> tuple[int, str]:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], _SI
    if suffix in _BINARY:
        return _BINARY[suffix], _BINARY_SI
    found = _EXPONENT.fullmatch(suffix)
    if found is None or not -(2**63) <= int(found[1]) < 2**63:
        raise ValueError(_NO_SUFFIX)
    return (int(found[1]) + 2**31) % 2**32 - 2**31, _EXPONENTS


def _quick(parts: _Parts) -> Quantity | None:
    """The path for numbers that fit an int64; the only one that keeps the text. None if this one does not fit."""
    if parts.text == "0":
        return Quantity("0", 0)
    digits = parts.whole + parts.fraction
    binary = parts.format == _BINARY_SI
    if binary:
        room = 15 - len(parts.whole) - parts.exponent * 3 // 10 - 1 if not parts.fraction else -1
    else:
        room = _FACTORS - len(digits)
    exponent = -len(parts.fraction) + (0 if binary else parts.exponent)
    if room < 0 or exponent < _NANO:
        return None
    number = int(digits)
    value = number << parts.exponent if binary else number
    if value > _LARGEST:
        return None
    kept = bool(number & 7) if binary else exponent % 3 == 0 and not digits.endswith("000") and digits[0] != "0"
    value = -value if parts.negative else value
    return Quantity(parts.text, _sign(value)) if kept else _spelled(value, exponent, parts.format)


def _at_least_nano(mantissa: int, exponent: int) -> tuple[int, int]:
    """Rounded up to billionths: whoever asks for something gets something."""
    surplus = _NANO - exponent
    if surplus <= 0 or not mantissa:
        return mantissa, exponent
    if surplus > len(str(mantissa)):
        return 1, _NANO
    return -(-mantissa // 10**surplus), _NANO


def _compare(mantissa: int, exponent: int, other: int) -> int:
    """The sign of `mantissa` x 10^`exponent` - `other`, for numbers above zero; the exponent is at least -9 here."""
    if exponent > 2 * _FACTORS:
        return 1 if mantissa else -1
    shift = max(0, -exponent)
    return _sign(mantissa * 10 ** (exponent + shift) - other * 10**shift)


def _spelled(mantissa: int, exponent: int, form: str) -> Quantity:
    """CanonicalizeBytes."""
    if mantissa == 0:
        return Quantity("0", 0)
    if form == _BINARY_SI and _compare(abs(mantissa), exponent, 1024) >= 0:
        shift = max(0, -exponent)
        value, rest = divmod(abs(mantissa) * 10 ** max(0, exponent), 10**shift)
        if rest == 0:
            return Quantity(_binary(value if mantissa > 0 else -value), _sign(mantissa))
    number, exponent = _without_factors(mantissa, 10, exponent)
    surplus = exponent % 3
    number, exponent = number * 10**surplus, exponent - surplus
    if form == _EXPONENTS and exponent:
        return Quantity(f"{number}e{exponent}", _sign(mantissa))
    return Quantity(f"{number}{_DECIMAL_SUFFIX.get(exponent, '')}", _sign(mantissa))


def _binary(value: int) -> str:
    number, times = _without_factors(value, 1024, 0)
    return f"{number}{_BINARY_SUFFIX.get(times * 10, '')}"


def _without_factors(number: int, factor: int, exponent: int) -> tuple[int, int]:
    while number % factor == 0:
        number //= factor
        exponent += 1
    return number, exponent


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
