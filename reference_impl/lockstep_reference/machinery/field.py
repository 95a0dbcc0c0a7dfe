"""Findings about fields, and the Status that carries them (apimachinery pkg/util/validation/field, pkg/api/errors)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lockstep.wire.gotext import plain, quote

_OMITTED = object()
_TEXTS = {
    "FieldValueRequired": "Required value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooMany": "Too many",
    "InternalError": "Internal error",
}


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field (field.Error). `type` is the reason of a StatusCause."""

    type: str
    field: str
    detail: str
    value: Any = _OMITTED

    @property
    def body(self) -> str:
        """Without the field's name (ErrorBody)."""
        text = _TEXTS[self.type]
        if self.value is not _OMITTED:
            text = f"{text}: {_shown(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"


def _shown(value: Any) -> str:
    """`%q` of a string, `%v` of a number."""
    return quote(value) if isinstance(value, str) else plain(value)


def required(field: str, detail: str) -> FieldError:
    """A value that must be there is not (field.Required)."""
    return FieldError("FieldValueRequired", field, detail)


def invalid(field: str, value: Any, detail: str) -> FieldError:
    """A value is malformed or out of bounds (field.Invalid)."""
    return FieldError("FieldValueInvalid", field, detail, value)


def not_supported(field: str, value: Any, valid: Sequence[str]) -> FieldError:
    """A value is none of those that exist (field.NotSupported)."""
    return FieldError("FieldValueNotSupported", field, f"supported values: {', '.join(map(quote, valid))}", value)


def forbidden(field: str, detail: str) -> FieldError:
    """A value may not be set now (field.Forbidden)."""
    return FieldError("FieldValueForbidden", field, detail)


def too_many(field: str, actual: int, most: int) -> FieldError:
    """A list is too long (field.TooMany)."""
    return FieldError("FieldValueTooMany", field, f"must have at most {most} item{'s' * (most != 1)}", actual)


def internal_error(field: str, error: Exception) -> FieldError:
    """Something else went wrong (field.InternalError)."""
    return FieldError("InternalError", field, str(error))


def new_invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> dict[str, Any]:
    """The Status of an object with findings, each told once in the message (NewInvalid, ErrorList.ToAggregate)."""
    texts = list(dict.fromkeys(map(str, errors)))
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details: dict[str, Any] = {"name": name, "group": group, "kind": kind}
    details = {key: value for key, value in details.items() if value}
    details["causes"] = [{"reason": each.type, "message": each.body, "field": each.field} for each in errors]
    return {
        "metadata": {},
        "status": "Failure",
        "message": f"{kind}{'.' + group if group else ''} {quote(name)} is invalid: {listed}",
        "reason": "Invalid",
        "details": details,
        "code": 422,
    }
