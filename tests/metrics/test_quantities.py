"""Amounts as they stand in answers."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from lockstep.metrics import MetricsError
from lockstep.metrics.quantities import cores, pages, thousandths
from lockstep.wire.quantity import parse_quantity


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.25, "250m"),
        (1.0, "1"),
        (2000.0, "2k"),
        (0.123456789, "123456789n"),
        (0.00456, "4560u"),
        (1 / 3, "333333333n"),
        (0.57, "570m"),
        (0.29, "290m"),
    ],
)
def test_cores(value: float, text: str) -> None:
    assert cores(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (4095, "0"), (4096, "4Ki"), (200 * 2**20, "200Mi"), (11_452_417, "11184Ki"), (2**40, "1Ti")],
)
def test_pages(value: float, text: str) -> None:
    assert pages(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(10.5, "10500m"), (10, "10"), (10_000, "10k"), (-0.25, "-250m"), (0, "0"), (1e18, "1E")]
)
def test_thousandths(value: float, text: str) -> None:
    assert thousandths(value) == text


def test_texts_name_the_amount() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        value = rng.uniform(-1, 1) * 10 ** rng.randint(-9, 9)
        assert parse_quantity(thousandths(value)).exact() == Fraction(round(value * 1000), 1000)
        assert parse_quantity(cores(abs(value))).exact() == Fraction(round(abs(value) * 10**9), 10**9)
        assert 0 <= Fraction(int(abs(value))) - parse_quantity(pages(abs(value))).exact() < 4096


def test_what_is_not_finite_cannot_be_served() -> None:
    with pytest.raises(MetricsError, match=r"use exact\(\) for absurd values"):
        thousandths(float("nan"))
