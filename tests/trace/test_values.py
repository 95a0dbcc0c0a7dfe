from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.trace.symbols import relative
from lockstep.trace.values import ABSENT, canonical, changes, flatten, matches, prune

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_pruning_changes_no_leaf_and_is_final(value: Any) -> None:
    assert prune(prune(value)) == prune(value)
    assert changes(value, value) == {}


@given(st.dictionaries(st.text(max_size=3), st.integers(-9, 9), max_size=5))
def test_key_order_never_reaches_the_bytes(value: dict[str, int]) -> None:
    assert canonical(value) == canonical(dict(reversed(value.items())))


def test_elements_are_distinguished_by_their_key() -> None:
    before = [{"type": "Ready", "status": "True"}]
    after = [{"type": "Scheduled", "status": "True"}, {"type": "Ready", "status": "False"}]
    assert changes({"c": before}, {"c": after}) == {
        "c[type=Ready].status": ("True", "False"),
        "c[type=Scheduled].status": (ABSENT, "True"),
    }


def test_an_element_that_is_only_its_key_is_seen() -> None:
    assert flatten({"env": [{"name": "A"}]}) == {"env[name=A]": True}


def test_elements_without_a_key_go_by_position_and_plain_lists_are_one_value() -> None:
    assert flatten({"a": [{"x": 1}, {"x": 2}], "b": ["p", "q"]}) == {"a[0].x": 1, "a[1].x": 2, "b": ["p", "q"]}


def test_a_key_with_a_dot_is_put_in_brackets() -> None:
    assert flatten({"labels": {"example.com/a": "b"}}) == {"labels[example.com/a]": "b"}


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("status.*", "status.replicas", True),
        ("status.*", "spec.replicas", False),
        ("*[type=Ready].status", "conditions[type=Ready].status", True),
        ("*[type=Ready].status", "conditionsT.status", False),
        ("web#?", "web#1", True),
        ("web#?", "web#12", False),
        ("pods", "pods x", False),
    ],
)
def test_globs_match_whole_texts_and_take_brackets_literally(pattern: str, text: str, fits: bool) -> None:
    assert matches(pattern, text) is fits


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "+0"),
        (12 * 10**9, "+12"),
        (12_500_000_000, "+12.5"),
        (-(10**9), "-1"),
        (1_234_567_890, "+1.235"),
        (-100, "+0"),
    ],
)
def test_spans_read_as_signed_seconds(ns: int, text: str) -> None:
    assert relative(ns) == text
