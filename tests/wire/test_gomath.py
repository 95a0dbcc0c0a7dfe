"""Go's arithmetic, as Go 1.26 on amd64 does it."""

from __future__ import annotations

import math

import pytest

from lockstep.wire.gomath import (
    ceil_to_int32,
    ceil_to_int64,
    divide,
    float_to_int32,
    int32,
    int64,
    pow10,
    quotient,
)

MIN32, MIN64 = -(2**31), -(2**63)


def test_integers_wrap() -> None:
    assert [int32(2**31), int32(-(2**31) - 1), int32(2**32 + 5), int32(7)] == [MIN32, 2**31 - 1, 5, 7]
    assert [int64(2**63), int64(-(2**63) - 1), int64(2**64 + 5), int64(-7)] == [MIN64, 2**63 - 1, 5, -7]


@pytest.mark.parametrize(
    ("dividend", "divisor", "result"),
    [(7, 2, 3), (-7, 2, -3), (7, -2, -3), (-7, -2, 3), (0, 5, 0), (MIN64, -1, MIN64), (2**62 + 1, 3, (2**62 + 1) // 3)],
)
def test_division_cuts_off(dividend: int, divisor: int, result: int) -> None:
    assert quotient(dividend, divisor) == result


@pytest.mark.parametrize(
    ("dividend", "divisor", "result"),
    [(1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (1.0, -0.0, -math.inf), (3.0, 2.0, 1.5), (math.inf, 0.0, math.inf)],
)
def test_floats_divide_by_zero(dividend: float, divisor: float, result: float) -> None:
    assert divide(dividend, divisor) == result


def test_nothing_by_nothing_is_no_number() -> None:
    assert math.isnan(divide(0.0, 0.0))
    assert math.isnan(divide(math.nan, 0.0))


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 2147483647.5, 2147483648.0, 1e18, 1e300, -2147483648.5]
)
def test_floats_that_do_not_fit_into_32_bits(value: float) -> None:
    assert ceil_to_int32(value) == MIN32


def test_floats_that_fit() -> None:
    assert [ceil_to_int32(2147483647.0), ceil_to_int32(0.1), ceil_to_int32(-0.5)] == [2147483647, 1, 0]
    assert [float_to_int32(2147483647.5), float_to_int32(-1.9), float_to_int32(2147483648.0)] == [2147483647, -1, MIN32]
    assert [ceil_to_int64(1.5), ceil_to_int64(9.3e18), ceil_to_int64(math.nan), ceil_to_int64(-(2.0**63))] == [
        2,
        MIN64,
        MIN64,
        MIN64,
    ]


def test_powers_of_ten() -> None:
    assert [pow10(0), pow10(3), pow10(-3), pow10(309), pow10(-324)] == [1.0, 1000.0, 0.001, math.inf, 0.0]
