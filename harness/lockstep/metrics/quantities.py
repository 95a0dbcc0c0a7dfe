"""Amounts as answers of the metrics APIs write them."""

from __future__ import annotations

import math
from functools import lru_cache

from lockstep.metrics.handles import MetricsError
from lockstep.wire.quantity import BINARY_SI, DECIMAL_SI, Quantity, format_milli

_PAGE = 4096


@lru_cache(maxsize=65_536)
def cores(value: float) -> str:
    """CPU as metrics-server reports it: whole nanocores, with the shortest suffix that loses nothing."""
    return str(Quantity(_scaled(value, 10**9), -9, DECIMAL_SI))


@lru_cache(maxsize=65_536)
def pages(value: float) -> str:
    """Memory as metrics-server reports it: a kernel counts pages of 4 KiB, so it is rounded down to whole pages."""
    return str(Quantity(max(_scaled(value, 1), 0) // _PAGE * _PAGE, 0, BINARY_SI))


def thousandths(value: float) -> str:
    """Any other metric as adapters report it: whole thousandths (`resource.NewMilliQuantity`)."""
    return format_milli(_scaled(value, 1000))


def _scaled(value: float, factor: int) -> int:
    if not math.isfinite(value):
        raise MetricsError(f"a curve gave {value}; only finite numbers can be served, use exact() for absurd values")
    return round(value * factor)
