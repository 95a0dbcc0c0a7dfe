"""Findings of validation about fields (apimachinery pkg/util/validation/field/errors.go)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from lockstep.wire.gotext import plain, quote

#: A value that a finding does not show (field.OmitValueType).
OMITTED = object()


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with the value at a path; `cause` is the reason of the StatusCause that it becomes."""

    cause: str
    field: str
    value: Any
    detail: str

    @property
    def body(self) -> str:
        """The finding without its path (field.Error.ErrorBody)."""
        text = _TYPE_TEXT[self.cause]
        if self.cause in _WITH_VALUE and self.value is not OMITTED:
            text = f"{text}: {_show(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def as_cause(self) -> dict[str, str]:
        """As one of the causes of a Status."""
        return {"reason": self.cause, "message": self.body, "field": self.field}

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


_TYPE_TEXT = {
    "FieldValueRequired": "Required value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueTypeInvalid": "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueNotFound": "Not found",
    "FieldValueTooMany": "Too many",
    "InternalError": "Internal error",
}
_WITH_VALUE = frozenset(
    {
        "FieldValueInvalid",
        "FieldValueTypeInvalid",
        "FieldValueNotSupported",
        "FieldValueDuplicate",
        "FieldValueNotFound",
        "FieldValueTooMany",
    }
)


class InOrder(dict[str, Any]):
    """A Go struct as a value in an error: its fields are shown in their own order, not sorted as a map's keys."""


def _show(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int | float):
        return plain(value)
    in_order = isinstance(value, InOrder) or (isinstance(value, list) and value and isinstance(value[0], InOrder))
    return orjson.dumps(value, option=0 if in_order else orjson.OPT_SORT_KEYS).decode()


def required(field: str, detail: str = "") -> FieldError:
    """A value is missing."""
    return FieldError("FieldValueRequired", field, "", detail)


def invalid_value(field: str, value: Any, detail: str) -> FieldError:
    """A value is wrong."""
    return FieldError("FieldValueInvalid", field, value, detail)


def type_invalid(field: str, value: Any, detail: str) -> FieldError:
    """A value is of the wrong type."""
    return FieldError("FieldValueTypeInvalid", field, value, detail)


def not_supported(field: str, value: Any, valid: Sequence[str]) -> FieldError:
    """A value is not one of the valid ones."""
    listed = ", ".join(quote(item) for item in valid)
    return FieldError("FieldValueNotSupported", field, value, f"supported values: {listed}" if valid else "")


def forbidden_value(field: str, detail: str) -> FieldError:
    """A value must not be set, or not be changed."""
    return FieldError("FieldValueForbidden", field, "", detail)


def duplicate(field: str, value: Any) -> FieldError:
    """A value occurs twice in what should be a set."""
    return FieldError("FieldValueDuplicate", field, value, "")


def too_long(field: str, limit: int) -> FieldError:
    """A value is longer than `limit` bytes."""
    return FieldError("FieldValueTooLong", field, "", f"may not be more than {limit} bytes")


def internal(field: str, detail: str) -> FieldError:
    """A value could not be validated."""
    return FieldError("InternalError", field, "", detail)


def too_many(field: str, actual: int, most: int) -> FieldError:
    """A list has more than `most` items (field.TooMany)."""
    return FieldError("FieldValueTooMany", field, actual, f"must have at most {most} item{'s' * (most != 1)}")


def aggregated(findings: Sequence[FieldError]) -> str:
    """All of them as one text, each once (ErrorList.ToAggregate)."""
    texts = list(dict.fromkeys(map(str, findings)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
