"""Quantities: apimachinery pkg/api/resource. All numbers here are what upstream gives for the same text."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import pytest

from lockstep.wire.quantity import (
    InvalidQuantity,
    Quantity,
    format_milli,
    parse_approximate_float,
    parse_milli_value,
    parse_quantity,
    read_quantity,
)

FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX = "unable to parse quantity's suffix"


@pytest.mark.parametrize(
    ("text", "milli"),
    [
        ("0", 0),
        ("1", 1000),
        ("250m", 250),
        ("1.5", 1500),
        (".5", 500),
        ("5.", 5000),
        ("+3", 3000),
        ("-3", -3000),
        ("007m", 7),
        ("1n", 1),
        ("123456789n", 124),
        ("1000000n", 1),
        ("1500u", 2),
        ("1k", 10**6),
        ("1M", 10**9),
        ("1G", 10**12),
        ("1T", 10**15),
        ("1P", 10**18),
        ("1Ki", 1024 * 1000),
        ("0.5Ki", 512 * 1000),
        ("204800Ki", 204800 * 1024 * 1000),
        ("1Mi", 2**20 * 1000),
        ("1Gi", 2**30 * 1000),
        ("1Ti", 2**40 * 1000),
        ("1e3", 10**6),
        ("1E3", 10**6),
        ("1e-3", 1),
        ("1e+2", 100_000),
        ("1e-12", 1),
        ("m", 0),
        ("+", 0),
    ],
)
def test_milli_value_is_rounded_up(text: str, milli: int) -> None:
    assert parse_milli_value(text) == milli
    assert parse_quantity(text).milli_value() == milli


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("1m", 1), ("1500m", 2), ("2Ki", 2048), ("1e3", 1000), ("0", 0), ("-1500m", -2), ("1n", 1)],
)
def test_value_is_rounded_up(text: str, value: int) -> None:
    assert parse_quantity(text).value() == value


def test_negative_numbers_are_rounded_down_where_they_fit_into_64_bits_and_else_up() -> None:
    assert parse_milli_value("-1500u") == -2
    assert parse_milli_value("-1234567890.00000000015") == -1234567889999
    assert parse_milli_value("-123456789012.1234567891") == 5670419503844  # too large, in nanos, for 64 bits


@pytest.mark.parametrize(
    ("text", "milli"),
    [
        ("9223372036854775807", -1000),
        ("18446744073709551615", -1000),
        ("18446744073709551615n", 18446744073710),
        ("9900000000000E3", -8546744073709551616),
        ("1e30", 0),
        ("100E", 0),
        ("7Ei", -(2**63)),
        ("8Ei", -1000),
        ("123456789012345678901234567890", 8982045596877734992),
    ],
)
def test_what_is_too_large_wraps_or_becomes_nothing(text: str, milli: int) -> None:
    assert parse_milli_value(text) == milli


@pytest.mark.parametrize("text", ["", "x", "1x", "1.2.3", "1 ", " 1", "1m5x", "1e5.5", "\u0661", "1\n"])
def test_text_of_the_wrong_format(text: str) -> None:
    with pytest.raises(InvalidQuantity) as caught:
        parse_quantity(text)
    assert str(caught.value) == FORMAT


@pytest.mark.parametrize("text", ["1e", "1i", "1K", "1mm", "1ki", "1e99999999999999999999", "5+3", "1Ee5", "--1"])
def test_suffixes_that_there_are_not(text: str) -> None:
    with pytest.raises(InvalidQuantity) as caught:
        parse_milli_value(text)
    assert str(caught.value) == SUFFIX


def test_a_suffix_alone_is_no_number_where_it_needs_one() -> None:
    with pytest.raises(InvalidQuantity) as caught:
        parse_quantity("e-20")
    assert str(caught.value) == "unable to parse numeric part of quantity"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1500m", "1500m"),
        ("1000m", "1"),
        ("1.5", "1500m"),
        ("2000", "2k"),
        ("0m", "0"),
        ("1024", "1024"),
        ("2048Ki", "2Mi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("1e3", "1e3"),
        ("1000e3", "1e6"),
        ("+5", "+5"),
        ("0.1n", "1n"),
        ("9Ei", "9223372036854775807"),
        ("12345678901234567890000", "12345678901234567890k"),
    ],
)
def test_canonical_form(text: str, canonical: str) -> None:
    assert str(parse_quantity(text)) == canonical


@pytest.mark.parametrize(
    ("milli", "decimal", "binary"),
    [
        (0, "0", "0"),
        (1, "1m", "1m"),
        (500, "500m", "500m"),
        (1000, "1", "1"),
        (1500, "1500m", "1500m"),
        (10**6, "1k", "1k"),
        (10**18, "1P", "976562500000Ki"),
        (1024 * 1000, "1024", "1Ki"),
        (2**30 * 1000, "1073741824", "1Gi"),
        (1500 * 1024 * 1000 + 1, "1536000001m", "1536000001m"),
        (-1500, "-1500m", "-1500m"),
        (2**63 - 1, "9223372036854775807m", "9223372036854775807m"),
        (-(2**63), "-9223372036854775808m", "-9223372036854775808m"),
    ],
)
def test_milli_quantities_as_text(milli: int, decimal: str, binary: str) -> None:
    assert format_milli(milli) == decimal
    assert format_milli(milli, binary=True) == binary


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.05", 0.05),
        ("50m", 0.05),
        ("1", 1.0),
        ("0", 0.0),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("1Ki", 1024.0),
    ],
)
def test_as_a_float(text: str, number: float) -> None:
    assert parse_approximate_float(text) == number


def test_very_long_texts_are_answered() -> None:
    assert parse_milli_value("1" + "0" * 10_000) == 0
    assert parse_milli_value("12345678901234567890e999999999") == 0
    assert parse_milli_value("1e-999999999") == 1


def test_sums_and_comparisons() -> None:
    assert parse_quantity("1500m").plus(parse_quantity("1Ki")).milli_value() == 1_025_500
    assert parse_quantity("0").plus(parse_quantity("1u")).milli_value() == 1
    assert parse_quantity("0.4m").plus(parse_quantity("0.4m")).milli_value() == 1  # rounded once
    assert parse_quantity("1Ki").compare(parse_quantity("1k")) == 1
    assert parse_quantity("1k").compare(parse_quantity("1000")) == 0
    assert parse_quantity("-1k").compare(parse_quantity("-999")) == -1


@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [
        ("12345678901234567890e500", 0, 0),
        ("12345678901234567890e10", -4362896301106853888, 8982044362309844992),
        ("-12345678901234567890", -5097733591, -5097733592001),
        ("-9999999999999999999m", -1590897977, -1590897978357),
        ("-8Ei", -9223372036854775807, 1000),
        ("-7Ei", 0, 0),
        ("1234567890123456789012e-3", 1234567890123456790, -1363962815083169260),
    ],
)
def test_the_second_form_is_counted_in_nanos(text: str, value: int, milli: int) -> None:
    assert (parse_quantity(text).value(), parse_quantity(text).milli_value()) == (value, milli)


def test_numbers_with_hundreds_of_digits_are_infinite_floats() -> None:
    assert parse_approximate_float("12345678901234567890e400") == math.inf
    assert parse_approximate_float("-12345678901234567890e999999999") == -math.inf


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
def test_json_values_as_text(sent: Any, text: str) -> None:
    assert str(read_quantity(sent)) == text


@pytest.mark.parametrize(("sent", "sign"), [("0", 0), ("0m", 0), ("1n", 1), ("-1n", -1), ("-5Gi", -1), ("0.0001n", 1)])
def test_sign(sent: str, sign: int) -> None:
    assert read_quantity(sent).sign == sign


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ("", FORMAT),
        ("x", FORMAT),
        ("1.2.3", FORMAT),
        ("1 Gi", FORMAT),
        (True, FORMAT),
        (None, FORMAT),
        ({}, FORMAT),
        ("1mm", "unable to parse quantity's suffix"),
        ("1e", "unable to parse quantity's suffix"),
        ("5-3", "unable to parse quantity's suffix"),
        ("Ei", "unable to parse numeric part of quantity"),
    ],
)
def test_json_values_that_are_no_quantities(sent: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        read_quantity(sent)


def test_absurd_exponents_cost_nothing() -> None:
    assert [str(read_quantity(text)) for text in ("1e999999999", "1e-999999999")] == ["1e999999999", "1e-9"]
    huge, less, five = map(parse_quantity, ("1e999999999", "-1e999999999", "5"))
    assert [huge.compare(less), less.compare(huge), huge.compare(five), less.compare(five)] == [1, -1, 1, -1]


def test_exactly() -> None:
    assert parse_quantity("1500m").exact() == Fraction(3, 2)
    assert parse_quantity("-2Ki").exact() == -2048
    assert parse_quantity("123456789012345678901234567890").exact() == 123456789012345678901234567890


@pytest.mark.parametrize(
    ("first", "second", "both", "between"),
    [
        ("1", "500m", "1500m", "500m"),
        ("1Gi", "1G", "2073741824", "73741824"),  # which a binary suffix does not suit
        ("1G", "1Gi", "2073741824", "-73741824"),
        ("0", "1Ki", "1Ki", "-1Ki"),  # nothing has no format of its own
        ("1.500", "0", "1500m", "1500m"),
        ("1e3", "1", "1001", "999"),
        ("9223372036854775807", "1", "9223372036854775808", "9223372036854775806"),
    ],
)
def test_sums_and_differences_as_text(first: str, second: str, both: str, between: str) -> None:
    one, other = parse_quantity(first), parse_quantity(second)
    assert (str(one.plus(other)), str(one.minus(other))) == (both, between)


def test_a_quantity_without_a_format_has_exponents() -> None:
    assert str(Quantity(5000, 0, "")) == "5e3"
