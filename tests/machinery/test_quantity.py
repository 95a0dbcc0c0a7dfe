"""Quantities: apimachinery pkg/api/resource. All numbers here are what upstream gives for the same text."""

from __future__ import annotations

import math

import pytest

from lockstep_reference.machinery.quantity import (
    InvalidQuantity,
    format_milli,
    parse_approximate_float,
    parse_milli_value,
    parse_quantity,
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
    assert parse_quantity("1Ki").exceeds(parse_quantity("1k"))
    assert not parse_quantity("1k").exceeds(parse_quantity("1000"))


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
