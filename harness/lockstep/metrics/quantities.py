"""Amounts as answers of the metrics APIs write them (apimachinery/pkg/api/resource/quantity.go, CanonicalizeBytes)."""

from __future__ import annotations

import math
from functools import lru_cache

from lockstep.metrics.handles import MetricsError
from lockstep.time.clock import SECOND

_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_SMALL_UNITS = (("ms", 10**6), ("µs", 1000), ("ns", 1))
_PAGE = 4096


@lru_cache(maxsize=65_536)
def cores(value: float) -> str:
    """CPU as metrics-server reports it: whole nanocores, with the shortest suffix that loses nothing."""
    return _decimal(_scaled(value, 10**9), -9)


@lru_cache(maxsize=65_536)
def pages(value: float) -> str:
    """Memory as metrics-server reports it: a kernel counts pages of 4 KiB, so it is rounded down to whole pages."""
    count, exponent = _scaled(value, 1) // _PAGE * _PAGE, 0
    if count <= 0:
        return "0"
    while count % 1024 == 0 and exponent < len(_BINARY) - 1:
        count, exponent = count // 1024, exponent + 1
    return f"{count}{_BINARY[exponent]}"


@lru_cache(maxsize=65_536)
def thousandths(value: float) -> str:
    """Any other metric as adapters report it: whole thousandths (`resource.NewMilliQuantity`)."""
    return _decimal(_scaled(value, 1000), -3)


def _scaled(value: float, factor: int) -> int:
    if not math.isfinite(value):
        raise MetricsError(f"a curve gave {value}; only finite numbers can be served, use exact() for absurd values")
    return round(value * factor)


def _decimal(number: int, exponent: int) -> str:
    if number == 0:
        return "0"
    while number % 1000 == 0 and exponent < 18:
        number, exponent = number // 1000, exponent + 3
    return f"{number}{_DECIMAL[exponent]}"


@lru_cache(maxsize=1024)
def duration(nanoseconds: int) -> str:
    """A duration as Go's `time.Duration.String` writes it: 15s, 1m0s, 1h0m0.5s, 250ms."""
    if nanoseconds < 0:
        return f"-{duration(-nanoseconds)}"
    if nanoseconds == 0:
        return "0s"
    if nanoseconds < SECOND:
        unit, size = next(
            (unit, size) for unit, size in (("ms", 10**6), ("µs", 1000), ("ns", 1)) if nanoseconds >= size
        )
        return f"{_fraction(nanoseconds, size)}{unit}"
    minutes, rest = divmod(nanoseconds, 60 * SECOND)
    text = f"{_fraction(rest, SECOND)}s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}h{minutes}m{text}" if hours else f"{minutes}m{text}"
    return text


def _fraction(amount: int, unit: int) -> str:
    whole, part = divmod(amount, unit)
    if not part:
        return str(whole)
    digits = str(part).rjust(len(str(unit)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}"
