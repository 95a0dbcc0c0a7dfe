"""Selectors in text form: apimachinery pkg/labels/selector.go. Expected texts were asked of upstream's own code."""

from __future__ import annotations

import pytest

from lockstep.wire.selector_parser import parse, parse_to_label_selector
from lockstep.wire.selectors import InvalidSelector


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("a=b", "a=b"),
        ("b=1,a==2", "a==2,b=1"),
        (" x in ( foo ,,baz ) , y, z notin ()", "x in (,baz,foo),y,z notin ()"),
        ("!a,b!=c", "!a,b!=c"),
        ("n>5,m<3", "m<3,n>5"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("a=,b", "a=,b"),
        ("a in (,)", "a in ()"),
    ],
)
def test_what_is_understood(text: str, printed: str) -> None:
    assert str(parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a in (x", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in x", "unable to parse requirement: found 'x' expected: '('"),
        ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("a in (b=)", "unable to parse requirement: found '=', expected: ',' or ')'"),
        ("a in (,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
        ("a b=c", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a=b,", "found '', expected: identifier after ','"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("!=b", "found '!=', expected: !, identifier, or 'end of string'"),
        ("!!a", "unable to parse requirement: found '!', expected: identifier"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
        ("a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value"),
        ("-a=b", 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric'),
        ("a=-b", 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be an empty'),
    ],
)
def test_what_is_not_understood(text: str, error: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        parse(text)
    assert str(caught.value).startswith(error)


@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("n>5", {"n": "6"}, True),
        ("n>5", {"n": "5"}, False),
        ("n<5", {"n": "-6"}, True),
        ("n<5", {"n": "four"}, False),
        ("n<5", {}, False),
        ("n>5", {"n": str(2**63)}, False),
        ("a!=b", {}, True),
        ("a!=b", {"a": "b"}, False),
        ("a==b", {"a": "b"}, True),
    ],
)
def test_operators_of_the_text_form(text: str, labels: dict[str, str], matches: bool) -> None:
    assert parse(text).matches(labels) is matches


def test_what_a_label_selector_can_express() -> None:
    assert parse_to_label_selector("b==c,a in (y,x),!d,e,b=f") == {
        "matchLabels": {"b": "f"},
        "matchExpressions": [
            {"key": "a", "operator": "In", "values": ["x", "y"]},
            {"key": "d", "operator": "DoesNotExist"},
            {"key": "e", "operator": "Exists"},
        ],
    }
    assert parse_to_label_selector("") == {}
    for text, error in {
        "a!=b": '"!=" is not a valid label selector operator',
        "a>1": '"gt" isn\'t supported in label selectors',
        "a in (": "couldn't parse the selector string \"a in (\": unable to parse requirement: found '', "
        "expected: ',', ')' or identifier",
    }.items():
        with pytest.raises(InvalidSelector) as caught:
            parse_to_label_selector(text)
        assert str(caught.value) == error
