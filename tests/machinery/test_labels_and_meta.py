"""Selectors, keys, owners and timestamps."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.machinery import meta
from lockstep_reference.machinery.labels import InvalidSelector, selector_from


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


def test_keys() -> None:
    assert meta.key_of({"metadata": {"name": "n", "namespace": "ns"}}) == "ns/n"
    assert meta.key_of({"metadata": {"name": "n"}}) == "n"
    assert meta.split_key("ns/n") == ("ns", "n")
    assert meta.split_key("n") == ("", "n")
    with pytest.raises(ValueError, match='unexpected key format: "a/b/c"'):
        meta.split_key("a/b/c")


def test_controller_of() -> None:
    owners = [{"uid": "1"}, {"uid": "2", "controller": True}]
    assert meta.controller_of({"metadata": {"ownerReferences": owners}}) == owners[1]
    assert meta.controller_of({"metadata": {"ownerReferences": owners[:1]}}) is None
    assert meta.controller_of({"metadata": {}}) is None


def test_times() -> None:
    assert meta.parse_time("2000-01-01T00:00:01Z") == meta.SECOND
    assert meta.parse_time("2000-01-01T01:00:00.000002+01:00") == 2000
    assert meta.parse_time("1999-12-31T23:59:59Z") == -meta.SECOND
    assert meta.format_time(61 * meta.SECOND + 999_999_999) == "2000-01-01T00:01:01Z"
    with pytest.raises(ValueError, match="no time zone"):
        meta.parse_time("2000-01-01T00:00:01")
