"""What Go says about JSON that does not fit: sigs.k8s.io/json, encoding/json."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gojson import (
    BOOL,
    INT64,
    STRING,
    Anything,
    DecodeError,
    Map,
    Own,
    Slice,
    Struct,
    Type,
    decode,
    to_text,
)
from lockstep.wire.gotime import ZERO_TIME
from lockstep.wire.metav1 import (
    DURATION,
    OBJECT_META,
    QUANTITY,
    TIME,
    duration_of,
    milli_of,
    time_of,
)
from lockstep.wire.quantity import InvalidQuantity

LEAF = Struct("v1.Leaf", {"name": STRING, "count": INT64, "done": BOOL})
TREE = Struct(
    "v1.Tree",
    {
        "leaf": LEAF,
        "leaves": Slice("[]v1.Leaf", LEAF),
        "usage": Map("v1.Usage", QUANTITY),
        "labels": Map("map[string]string", STRING),
        "time": TIME,
        "any": Anything(),
    },
    {"TypeMeta": {"kind": STRING}},
)


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"leaf": None, "leaves": None, "usage": None, "time": None, "kind": None},
        {"leaf": {"name": "a", "count": 2**63 - 1, "done": True, "unknown": [1]}},
        {"leaves": [None, {}, {"name": None}]},
        {"usage": {"cpu": "1", "memory": 5, "disk": None, "more": " 1Ki ", "float": 1.5}},
        {"time": "2000-01-01T00:00:00Z", "any": [{"x": 1}]},
    ],
)
def test_what_fits(value: Any) -> None:
    decode(value, TREE)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "json: cannot unmarshal array into Go value of type v1.Tree"),
        ("x", "json: cannot unmarshal string into Go value of type v1.Tree"),
        ({"leaf": 5}, "json: cannot unmarshal number into Go struct field Tree.leaf of type v1.Leaf"),
        ({"leaf": {"name": {}}}, "json: cannot unmarshal object into Go struct field Leaf.leaf.name of type string"),
        ({"leaf": {"name": True}}, "json: cannot unmarshal bool into Go struct field Leaf.leaf.name of type string"),
        (
            {"leaf": {"count": 1.5}},
            "json: cannot unmarshal number 1.5 into Go struct field Leaf.leaf.count of type int64",
        ),
        (
            {"leaf": {"count": 2**63}},
            "json: cannot unmarshal number 9223372036854775808 into Go struct field Leaf.leaf.count of type int64",
        ),
        ({"leaf": {"count": "5"}}, "json: cannot unmarshal string into Go struct field Leaf.leaf.count of type int64"),
        ({"leaf": {"count": True}}, "json: cannot unmarshal bool into Go struct field Leaf.leaf.count of type int64"),
        ({"leaf": {"done": 1}}, "json: cannot unmarshal number into Go struct field Leaf.leaf.done of type bool"),
        ({"leaves": {}}, "json: cannot unmarshal object into Go struct field Tree.leaves of type []v1.Leaf"),
        ({"leaves": [5]}, "json: cannot unmarshal number into Go struct field Tree.leaves of type v1.Leaf"),
        (
            {"leaves": [{}, {"name": 5}]},
            "json: cannot unmarshal number into Go struct field Leaf.leaves.name of type string",
        ),
        ({"labels": {"a": 5}}, "json: cannot unmarshal number into Go struct field Tree.labels of type string"),
        ({"usage": []}, "json: cannot unmarshal array into Go struct field Tree.usage of type v1.Usage"),
        ({"kind": 5}, "json: cannot unmarshal number into Go struct field Tree.TypeMeta.kind of type string"),
        ({"time": 5}, "json: cannot unmarshal number into Go struct field Tree.time of type string"),
        (
            {"usage": {"cpu": ""}},
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ({"usage": {"cpu": "1K"}}, "unable to parse quantity's suffix"),
    ],
)
def test_complaints(value: Any, complaint: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(value, TREE)
    assert str(caught.value) == complaint


def test_the_first_mismatch_is_reported() -> None:
    with pytest.raises(DecodeError, match=r"leaf\.name of type string"):
        decode({"leaf": {"name": 5, "count": "x"}, "labels": 5}, TREE)


def test_a_type_that_reads_itself_ends_everything_also_what_was_wrong_before() -> None:
    with pytest.raises(DecodeError, match='parsing time "x"'):
        decode({"leaf": {"name": 5}, "time": "x", "labels": 5}, TREE)


def test_times_durations_and_quantities_of_null() -> None:
    assert (time_of(None), milli_of(None)) == (ZERO_TIME, 0)
    with pytest.raises(ValueError, match='time: invalid duration ""'):
        duration_of(None)


def test_quantities_may_be_numbers_and_have_space_around_them() -> None:
    assert [milli_of(5), milli_of(1.5), milli_of(" 250m ")] == [5000, 1500, 250]
    with pytest.raises(InvalidQuantity):
        milli_of({})


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (DURATION, None),
        (DURATION, "15"),
        (TIME, ""),
        (QUANTITY, {}),
        (Own(lambda text: len(text or "")), 5),
        (OBJECT_META, {"labels": {"a": 1}}),
    ],
)
def test_accepting_and_visiting_agree(type_: Type, value: Any) -> None:
    assert not type_.accepts(value)
    with pytest.raises(DecodeError):
        decode(value, type_)


def test_json_of_numbers_that_are_too_long_for_the_fast_writer() -> None:
    assert to_text({"a": [2**64, "\u00e9"]}) == '{"a":[18446744073709551616,"\u00e9"]}'
