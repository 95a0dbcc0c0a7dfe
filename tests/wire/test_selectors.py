"""Label selectors."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.selectors import InvalidSelector, selector_from, selects


def expression(operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": "app", "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("selector", "labels", "matches"),
    [
        (None, {}, False),
        ({}, {}, True),
        ({}, None, True),
        ({"matchLabels": {"app": "web"}}, {"app": "web", "x": "y"}, True),
        ({"matchLabels": {"app": "web"}}, {"app": "db"}, False),
        ({"matchLabels": {"app": ""}}, {}, False),
        (expression("In", "web", "db"), {"app": "db"}, True),
        (expression("In", "web"), {}, False),
        (expression("NotIn", "web"), {}, True),
        (expression("NotIn", "web"), {"app": "web"}, False),
        (expression("Exists"), {"app": ""}, True),
        (expression("Exists"), {}, False),
        (expression("DoesNotExist"), {}, True),
        (expression("DoesNotExist"), {"app": ""}, False),
    ],
)
def test_matching(selector: dict[str, Any] | None, labels: dict[str, str] | None, matches: bool) -> None:
    assert selector_from(selector).matches(labels) is matches


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (expression("Like", "x"), '"Like" is not a valid label selector operator'),
        (expression("In"), "values set can't be empty"),
        (expression("Exists", "x"), "values set must be empty"),
        ({"matchLabels": {"no space": "x"}}, 'key: Invalid value: "no space"'),
        ({"matchLabels": {"-/x": "x"}}, 'key: Invalid value: "-/x"'),
        ({"matchLabels": {"app": "a" * 64}}, r"values\[0\]\[app\]: Invalid value"),
    ],
)
def test_invalid_selectors_say_what_is_wrong(selector: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidSelector, match=text):
        selector_from(selector)


def test_selectors_print_sorted() -> None:
    selector = selector_from({**expression("In", "b", "a"), "matchLabels": {"z": "1", "a.b/c": "2"}})
    assert str(selector) == "a.b/c=2,app in (a,b),z=1"
    assert not selector.empty()


def test_a_malformed_selector_selects_nothing() -> None:
    assert selects({"matchLabels": {"app": "web"}}, {"app": "web"})
    assert not selects({"matchLabels": {"app": "web"}}, {"app": "db"})
    assert not selects(expression("Odd"), {"app": "web"})
