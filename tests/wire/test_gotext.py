"""Text as Go prints it."""

from __future__ import annotations

import pytest

from lockstep.wire import gotext


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("web", '"web"'),
        ('a"b\\', r'"a\"b\\"'),
        ("\n\t\x00\x7f", r'"\n\t\x00\x7f"'),
        ("é€", '"é€"'),
        ("\u200b\U000e0001", r'"\u200b\U000e0001"'),
    ],
)
def test_quoted(text: str, printed: str) -> None:
    assert gotext.quote(text) == printed


def test_label_selectors() -> None:
    assert gotext.label_selector(None) == "nil"
    assert gotext.label_selector({}) == (
        "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}"
    )
    selector = {
        "matchLabels": {"b": "1", "a": "2"},
        "matchExpressions": [{"key": "c", "operator": "In", "values": ["x", "y"]}, {"key": "d", "operator": "Exists"}],
    }
    assert gotext.label_selector(selector) == (
        "&LabelSelector{MatchLabels:map[string]string{a: 2,b: 1,},MatchExpressions:[]LabelSelectorRequirement{"
        "LabelSelectorRequirement{Key:c,Operator:In,Values:[x y],},LabelSelectorRequirement{Key:d,Operator:Exists,"
        "Values:[],},},}"
    )


def test_lists() -> None:
    assert gotext.json_list(()) == "null"
    assert gotext.json_list(["a", "<&é"]) == '["a","\\u003c\\u0026é"]'


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (None, "<nil>"),
        (True, "true"),
        ("a b", "a b"),
        ({"b": [1, "x", None], "a": {}}, "map[a:map[] b:[1 x <nil>]]"),
        (1.0, "1"),
        (1.5, "1.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-5, "1e-05"),
    ],
)
def test_plainly(value: object, printed: str) -> None:
    assert gotext.plain(value) == printed
