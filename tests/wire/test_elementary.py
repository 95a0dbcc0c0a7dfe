"""Values that Go printed (math.Log, Exp2, Pow, Ldexp, on amd64), where C's functions give their neighbours."""

from __future__ import annotations

import math

import pytest

from lockstep.wire.elementary import go_exp2, go_ldexp, go_log, go_pow


def test_the_start_of_a_bucket_is_not_what_c_computes() -> None:
    """Bucket 4 of the VPA's memory histograms: one byte less than with glibc."""
    assert int(1e7 * (go_pow(1.05, 4) - 1) / (1.05 - 1)) == 43101249


def test_the_last_digit_is_go_s() -> None:
    assert go_exp2(19 / 7) == 6.562682848061105
    assert go_log(49.561441066842605) == 3.903213133554564
    assert go_pow(1.05, 6) == 1.340095640625


@pytest.mark.parametrize(
    ("x", "expected"),
    [(0.0, 1.0), (1.0, 2.0), (-1.0, 0.5), (100.0, 2.0**100), (1e9, math.inf), (-1e9, 0.0), (math.inf, math.inf)],
)
def test_powers_of_two(x: float, expected: float) -> None:
    assert go_exp2(x) == expected


def test_what_is_no_number_stays_so() -> None:
    assert math.isnan(go_exp2(math.nan))
    assert math.isnan(go_log(-1.0))
    assert math.isnan(go_log(math.nan))
    assert math.isnan(go_pow(math.nan, -2))


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (math.nan, 0, 1.0),
        (math.inf, -2, 0.0),
        (math.inf, 1, math.inf),
        (-math.inf, 3, -math.inf),
        (-math.inf, -2, 0.0),
        (0.0, -2, math.inf),
        (0.0, 2, 0.0),
        (1e300, 700, math.inf),
        (1e-300, 700, 0.0),
        (-2.0, 3, -8.0),
    ],
)
def test_powers_at_the_edges(x: float, y: int, expected: float) -> None:
    assert go_pow(x, y) == expected


def test_what_overflows_is_infinite() -> None:
    assert go_ldexp(1.0, 1024) == math.inf
    assert go_ldexp(-1.0, 1 << 62) == -math.inf
    assert go_ldexp(1.0, -(1 << 63)) == 0.0
    assert go_log(0.0) == -math.inf
    assert go_log(math.inf) == math.inf
