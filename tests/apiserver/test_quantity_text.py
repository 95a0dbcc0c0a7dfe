"""How quantities are spelled, as resource.Quantity spells what it has parsed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lockstep.wire.quantity_text import quantity

_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("0", "0"),
        ("000", "0"),
        ("-0", "0"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("1.5", "1500m"),
        ("1.500", "1.500"),  # the parser takes it for canonical
        ("05", "05"),
        ("+5", "+5"),
        ("5000", "5k"),
        ("5000m", "5"),
        ("1001m", "1001m"),
        ("100n", "100n"),
        ("0.1n", "1n"),  # rounded up
        ("-0.1n", "-1n"),
        ("1e3", "1e3"),
        ("1e4", "10e3"),
        ("1E3", "1E3"),
        ("12e-1", "1200e-3"),
        ("2E", "2E"),
        ("1024", "1024"),
        ("1024Ki", "1Mi"),
        ("1023Ki", "1023Ki"),
        ("0.5Ki", "512"),
        ("1.5Gi", "1536Mi"),
        ("0.1Ki", "102400m"),
        ("10Ei", "9223372036854775807"),
        ("9999999999999999999", "9999999999999999999"),
        (7, "7"),
        (2.5, "2500m"),
        (" 3 ", "3"),
    ],
)
def test_spelling(sent: Any, text: str) -> None:
    assert quantity(sent).text == text


@pytest.mark.parametrize(("sent", "sign"), [("0", 0), ("0m", 0), ("1n", 1), ("-1n", -1), ("-5Gi", -1), ("0.0001n", 1)])
def test_sign(sent: str, sign: int) -> None:
    assert quantity(sent).sign == sign


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ("", _WRONG),
        ("x", _WRONG),
        ("1.2.3", _WRONG),
        ("1 Gi", _WRONG),
        (True, _WRONG),
        (None, _WRONG),
        ({}, _WRONG),
        ("1mm", "unable to parse quantity's suffix"),
        ("1e", "unable to parse quantity's suffix"),
        ("5-3", "unable to parse quantity's suffix"),
        ("Ei", "unable to parse numeric part of quantity"),
    ],
)
def test_what_is_none(sent: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        quantity(sent)


def test_an_absurd_exponent_costs_nothing() -> None:
    assert quantity("1e999999999").text == "1e999999999"
    assert quantity("1e-999999999").text == "1e-9"
