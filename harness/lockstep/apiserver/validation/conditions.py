"""Validation of conditions of the common kind (apimachinery/pkg/apis/meta/v1/validation: ValidateConditions)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.wire import names
from lockstep.wire.field import FieldError, duplicate, invalid_value, not_supported, required, too_long

Object = dict[str, Any]

_STATUSES = ("False", "True", "Unknown")
_LONGEST_REASON, _LONGEST_MESSAGE = 1024, 32 * 1024
_REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_REASON_PATTERN = re.compile(_REASON)
_REASON_RULE = names.regex_error(
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_'",
    _REASON,
    *("my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"),
)


def condition_findings(conditions: Sequence[Object], field: str) -> Iterator[FieldError]:
    """What is wrong with each, and duplicates of one type."""
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        kind = condition.get("type", "")
        if kind in seen:
            yield duplicate(f"{field}[{index}].type", kind)
        seen.add(kind)
        yield from _findings(condition, f"{field}[{index}]")


def _findings(condition: Object, field: str) -> Iterator[FieldError]:
    kind, status = condition.get("type", ""), condition.get("status", "")
    for complaint in names.qualified_name(kind):
        yield invalid_value(f"{field}.type", kind, complaint)
    if status not in _STATUSES:
        yield not_supported(f"{field}.status", status, _STATUSES)
    generation = condition.get("observedGeneration", 0)
    if generation < 0:
        yield invalid_value(f"{field}.observedGeneration", generation, "must be greater than or equal to zero")
    if not condition.get("lastTransitionTime"):
        yield required(f"{field}.lastTransitionTime")
    yield from _reason_findings(condition.get("reason", ""), f"{field}.reason")
    if len(condition.get("message", "").encode()) > _LONGEST_MESSAGE:
        yield too_long(f"{field}.message", _LONGEST_MESSAGE)


def _reason_findings(reason: str, field: str) -> Iterator[FieldError]:
    if not reason:
        yield required(field)
        return
    if not _REASON_PATTERN.fullmatch(reason):
        yield invalid_value(field, reason, _REASON_RULE)
    if len(reason.encode()) > _LONGEST_REASON:
        yield too_long(field, _LONGEST_REASON)
