"""What Go says about text that is no JSON."""

from __future__ import annotations

import pytest

from lockstep.wire.gojson_syntax import syntax_error


@pytest.mark.parametrize("text", ["{}", ' [1, -0.5e+3, true, null, "x\\u00e9\\n"] ', '{"a":{"b":[]}}', "5", '""'])
def test_json(text: str) -> None:
    assert syntax_error(text.encode()) == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "unexpected end of JSON input"),
        ("hello", "invalid character 'h' looking for beginning of value"),
        ("{", "unexpected end of JSON input"),
        ('{"a"', "unexpected end of JSON input"),
        ('{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a":1 "b"}', "invalid character '\"' after object key:value pair"),
        ("[1 2]", "invalid character '2' after array element"),
        ("{} x", "invalid character 'x' after top-level value"),
        ("{'a':1}", "invalid character '\\'' looking for beginning of object key string"),
        ("tru", "invalid character ' ' in literal true (expecting 'e')"),
        ("[nul]", "invalid character ']' in literal null (expecting 'l')"),
        ("-", "invalid character ' ' in numeric literal"),
        ("01", "invalid character '1' after top-level value"),
        ("1.", "invalid character ' ' after decimal point in numeric literal"),
        ("[1.e]", "invalid character 'e' after decimal point in numeric literal"),
        ("[1e+]", "invalid character ']' in exponent of numeric literal"),
        ('"a', "unexpected end of JSON input"),
        ('"a\nb"', "invalid character '\\n' in string literal"),
        ('"\\q"', "invalid character 'q' in string escape code"),
        ('"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"),
        ("\u00e9", "invalid character '\u00c3' looking for beginning of value"),
        ("\x7f", r"invalid character '\x7f' looking for beginning of value"),
        ("[" * 10_000 + "]" * 9_999, "unexpected end of JSON input"),
        ("[" * 10_001, "invalid character '[' exceeded max depth"),
        ('{"a":' * 10_001, "invalid character '{' exceeded max depth"),
    ],
)
def test_text_that_is_no_json(text: str, complaint: str) -> None:
    assert syntax_error(text.encode()) == complaint
