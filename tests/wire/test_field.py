"""Findings of validation about fields."""

from __future__ import annotations

import pytest

from lockstep.wire import field


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (field.required("spec.a", "say so"), "spec.a: Required value: say so"),
        (field.required("spec.a"), "spec.a: Required value"),
        (field.invalid_value("spec.a", 'x"', "must not"), 'spec.a: Invalid value: "x\\"": must not'),
        (field.invalid_value("spec.a", 1.0, "must not"), "spec.a: Invalid value: 1: must not"),
        (field.invalid_value("spec.a", True, "must not"), "spec.a: Invalid value: true: must not"),
        (field.invalid_value("spec.a", None, "must not"), "spec.a: Invalid value: null: must not"),
        (field.invalid_value("spec.a", {"b": 1, "a": "x"}, "no"), 'spec.a: Invalid value: {"a":"x","b":1}: no'),
        (field.invalid_value("spec.a", field.InOrder(b=1, a="x"), "no"), 'spec.a: Invalid value: {"b":1,"a":"x"}: no'),
        (field.invalid_value("spec.a", field.OMITTED, "no"), "spec.a: Invalid value: no"),
        (field.not_supported("spec.a", "x", ["y", "z"]), 'spec.a: Unsupported value: "x": supported values: "y", "z"'),
        (field.forbidden_value("spec.a", "not now"), "spec.a: Forbidden: not now"),
        (field.duplicate("spec.a", "x"), 'spec.a: Duplicate value: "x"'),
        (field.too_long("spec.a", 5), "spec.a: Too long: may not be more than 5 bytes"),
        (field.too_many("spec.a", 3, 1), "spec.a: Too many: 3: must have at most 1 item"),
        (field.too_many("spec.a", 3, 2), "spec.a: Too many: 3: must have at most 2 items"),
    ],
)
def test_one_finding(finding: field.FieldError, text: str) -> None:
    assert str(finding) == text


def test_several_findings_are_one_text_and_each_stands_there_once() -> None:
    one, other = field.required("a"), field.required("b")
    assert field.aggregated([one]) == "a: Required value"
    assert field.aggregated([one, other, one]) == "[a: Required value, b: Required value]"


def test_a_cause_of_a_status() -> None:
    assert field.invalid_value("a", 1, "no").as_cause() == {
        "reason": "FieldValueInvalid",
        "message": "Invalid value: 1: no",
        "field": "a",
    }
