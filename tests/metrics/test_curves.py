"""Curves: the number for each moment."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from lockstep.metrics import Curve, MetricsError, constant, daily, noisy, ramp, spike, steps
from lockstep.metrics.curves import curve_of

HOUR = 3600.0


@pytest.mark.parametrize(
    ("curve", "time", "value"),
    [
        (constant(3), 1e6, 3),
        (constant("1500m"), 0, 1.5),
        (constant("64Mi"), 0, 64 * 2**20),
        (steps((0, 1.0), (60, 5.0), (90, "2")), -10, 1),
        (steps((0, 1.0), (60, 5.0), (90, "2")), 59.999, 1),
        (steps((0, 1.0), (60, 5.0), (90, "2")), 60, 5),
        (steps((0, 1.0), (60, 5.0), (90, "2")), 1e9, 2),
        (ramp(60, 360, 1.0, 4.0), 0, 1),
        (ramp(60, 360, 1.0, 4.0), 160, 2),
        (ramp(60, 360, 1.0, 4.0), 9999, 4),
        (ramp(0, 10, 3.0, 1.0), 5, 2),
        (spike(2, 30), 29.9, 2),
        (spike(2, 30), 30, 0),
        (daily(1, 9, peak_hour=14), 14 * HOUR, 9),
        (daily(1, 9, peak_hour=14), 2 * HOUR, 1),
        (daily(1, 9, peak_hour=14), 8 * HOUR, 5),
        (daily(1, 9, peak_hour=14), (3 * 24 + 14) * HOUR, 9),
    ],
)
def test_the_value_at_a_moment(curve: Curve, time: float, value: float) -> None:
    assert curve(time) == pytest.approx(value, abs=1e-9)


def test_curves_add_and_multiply() -> None:
    both = 2 * steps((0, 1), (10, 3)) + ramp(0, 20, 0, 20) * "500m" + 1
    assert [both(time) for time in (0, 10, 20)] == [3, 6 + 5 + 1, 6 + 10 + 1]
    assert (steps((0, 2), (1, 4)) * steps((0, 3), (1, 5)))(1) == 20


def test_noise_is_a_function_of_seed_and_moment() -> None:
    curve = noisy(10, 0.2, seed=7)
    moments = [15.0 * step for step in range(2000)]
    forwards = [curve(moment) for moment in moments]
    shuffled = random.Random(1).sample(moments, len(moments))
    again = {moment: noisy(10, 0.2, seed=7)(moment) for moment in shuffled}
    assert forwards == [again[moment] for moment in moments]
    assert forwards != [noisy(10, 0.2, seed=8)(moment) for moment in moments]


def test_noise_stays_in_its_bounds_and_fills_them() -> None:
    values = [noisy(10, 0.2)(15.0 * step) for step in range(5000)]
    assert 8 <= min(values) < 8.01
    assert 11.99 < max(values) <= 12
    assert sum(values) / len(values) == pytest.approx(10, abs=0.05)
    ups = sum(later > sooner for sooner, later in pairwise(values))
    assert 2300 < ups < 2700  # neighbours are independent of one another


@pytest.mark.parametrize("wrong", ["12 pods", "", float("nan"), float("inf"), None, [1]])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(MetricsError, match="write"):
        curve_of(wrong)  # type: ignore[arg-type]


def test_times_must_ascend() -> None:
    with pytest.raises(MetricsError, match=r"steps: the times \[10, 5\] must ascend"):
        steps((10, 1), (5, 2))
    with pytest.raises(MetricsError, match="must ascend"):
        steps()
    with pytest.raises(MetricsError, match="must ascend"):
        ramp(5, 5, 0, 1)
