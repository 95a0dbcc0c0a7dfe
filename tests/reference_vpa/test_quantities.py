"""What a comparison leaves of a quantity. All numbers here are what upstream gives after the same comparison."""

from __future__ import annotations

import pytest

from lockstep.wire.quantity import parse_quantity
from lockstep_reference.vpa.utils.quantities import compared_with

FIRST_FORM, SECOND_FORM = "1Mi", "8Ei"


@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [
        ("-500m", 1, -500),
        ("-1500m", 0, -1500),
        ("500m", 1, 500),
        ("-12Gi", -12884901888, -12884901888000),
        ("-12500u", 1, -11),
        ("-99999999999999k", -99999999999999000, -7766279631451241920),
        ("5e20", -(2**63), -(2**63)),
        ("-4e20", 0, 0),
        ("7e18", 7 * 10**18, -(2**63)),
        ("-7Ei", 0, 0),
        ("1.5", 2, 1500),
    ],
)
def test_what_was_compared_with_the_second_form_is_rounded_as_that(text: str, value: int, milli: int) -> None:
    left = compared_with(parse_quantity(text), parse_quantity(SECOND_FORM))
    assert (left.value(), left.milli_value()) == (value, milli)
    assert str(left) == str(parse_quantity(text))


@pytest.mark.parametrize("text", ["-500m", "8Ei"])
def test_otherwise_a_quantity_stays_as_it_is(text: str) -> None:
    quantity = parse_quantity(text)
    assert compared_with(quantity, parse_quantity(FIRST_FORM)) is quantity
