"""Validation of custom resources against their schemas, with upstream's messages.

From kube-openapi/pkg/validation/validate (type, number, string and object validators) and apiextensions-apiserver/pkg/
apiserver/validation/validation.go. An invalid value that has not changed is accepted (ratcheting.go). Where Go
iterates over a map in random order, findings here come in the order of the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lockstep.apiserver.structural.acceptance import acceptor
from lockstep.apiserver.structural.formats import is_date_time
from lockstep.apiserver.structural.rules import Rule
from lockstep.apiserver.structural.schema import Structural
from lockstep.wire.field import OMITTED, FieldError, invalid_value, not_supported, required, type_invalid
from lockstep.wire.gotext import quote

Findings = list[FieldError]

_NONE: Any = object()
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
_BLOCKING = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)


def schema_findings(new: Any, old: Any, schema: Structural) -> Findings:
    """What is wrong with a whole object; `old` is None on a create."""
    found: Findings = []
    if not acceptor(schema)(new):
        found = _Check("").of(new, _NONE if old is None else old, schema, "")
    return found + _rule_findings(found, new, old, schema)


def status_findings(new: Any, old: Any, schema: Structural) -> Findings:
    """What is wrong with the status of an object that replaces `old`."""
    found: Findings = []
    part = schema.properties.get("status")
    if part is not None and "status" in new and not acceptor(part)(new["status"]):
        found = _Check("status").of(new["status"], old.get("status", _NONE), part, "")
    return found + _rule_findings(found, new, old, schema)


def _rule_findings(found: Findings, new: Any, old: Any, schema: Structural) -> Findings:
    if not schema.has_rules:
        return []
    if any(one.cause in _BLOCKING for one in found):
        return [invalid_value("<nil>", None, _UNCHECKED)]
    return list(_broken_rules(new, _NONE if old is None else old, schema, ""))


def _broken_rules(value: Any, old: Any, schema: Structural, path: str) -> Iterator[FieldError]:
    """Rules that do not hold, except for those about what has not changed."""
    if value is None or (old is not _NONE and value == old):
        return
    for rule in schema.rules:
        finding = _broken(rule, value, schema, path or "<nil>")
        if finding is not None:
            yield finding
    if type(value) is dict:
        for name, part in schema.properties.items():
            if part.has_rules and name in value:
                before = _part_of(old, name, schema)
                yield from _broken_rules(value[name], before, part, f"{path}.{name}" if path else name)
        if schema.additional is not None and schema.additional.has_rules:
            for name, item in value.items():
                if name not in schema.properties:
                    yield from _broken_rules(item, _part_of(old, name, schema), schema.additional, f"{path}[{name}]")
    elif type(value) is list and schema.items is not None and schema.items.has_rules:
        for index, item in enumerate(value):
            yield from _broken_rules(item, _NONE, schema.items, f"{path}[{index}]")


def _broken(rule: Rule, value: Any, schema: Structural, field: str) -> FieldError | None:
    shown = OMITTED if schema.types[:1] in (("object",), ("array",)) else value
    try:
        return None if rule.holds(value) else invalid_value(field, shown, rule.message)
    except KeyError as missing:
        trouble = f"no such key: {missing.args[0]}"
    except TypeError:  # the schema checks more of it
        trouble = "invalid data, expected a map for the provided schema with type=object"
    return invalid_value(field, schema.types[0], f"{trouble} evaluating rule: {rule.message}")


def _part_of(old: Any, name: str, schema: Structural) -> Any:
    return old.get(name, _NONE) if schema.correlated and type(old) is dict else _NONE


class _Check:
    """One validation; `prefix` stands before the paths of fields, but not before the names in messages."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def of(self, value: Any, old: Any, schema: Structural, path: str) -> Findings:
        """The findings on a value and its parts; none if it has not changed."""
        found: Findings = []
        for one in self._all(value, old, schema, path):
            if one not in found:  # as results are merged
                found.append(one)
        return [] if found and old is not _NONE and value == old else found

    def _all(self, value: Any, old: Any, schema: Structural, path: str) -> Iterator[FieldError]:
        kind = type(value)
        yield from self._type(value, kind, schema, path)
        if value is None:
            if schema.enum:
                yield self._enum(value, schema, path)
            return
        if schema.any_of:
            yield from self._any_of(value, schema, path)
        if kind is str:
            yield from self._string(value, schema, path)
        elif kind is int or kind is float:
            yield from self._number(value, schema, path)
        elif kind is list and schema.items is not None:
            for index, item in enumerate(value):
                yield from self.of(item, _NONE, schema.items, f"{path}[{index}]")
        if schema.enum and value not in schema.enum:
            yield self._enum(value, schema, path)
        if kind is dict:
            yield from self._object(value, old, schema, path)

    def _type(self, value: Any, kind: type, schema: Structural, path: str) -> Iterator[FieldError]:
        wanted = schema.types
        if not wanted or (value is None and schema.nullable):
            return
        found = _TYPES.get(kind, "null")
        if found in wanted or (found == "integer" and "number" in wanted):
            return
        if found == "number" and "integer" in wanted and value.is_integer() and abs(value) < 2**53:
            return
        if schema.format and found in ("string", "array") and not {"integer", "number"} & {*wanted}:
            return
        shown = schema.format if schema.format and found not in ("string", "array", "null") else ",".join(wanted)
        given = _GIVEN_FORMATS.get(found, "") if shown == schema.format else found
        yield self._mistyped(path, shown, given)

    def _string(self, value: str, schema: Structural, path: str) -> Iterator[FieldError]:
        if schema.pattern is not None and not schema.pattern.search(value):
            yield self._invalid(path, value, f"{path} in body should match '{schema.pattern.pattern}'")
        if schema.format == "date-time" and not is_date_time(value):
            yield self._mistyped(path, "date-time", value)

    def _number(self, value: float, schema: Structural, path: str) -> Iterator[FieldError]:
        if schema.types == ("integer",) and not _fits(value, 31 if schema.format == "int32" else 63):
            described = f"with format {schema.format}" if schema.format else "(default format)"
            why = f"Checked value must be of type integer {described} in {path}"
            yield invalid_value(self._prefix or "<nil>", "", why)
        if schema.maximum is not None and value > schema.maximum:
            yield self._invalid(path, value, f"{path} in body should be less than or equal to {schema.maximum}")
        if schema.minimum is not None and value < schema.minimum:
            yield self._invalid(path, value, f"{path} in body should be greater than or equal to {schema.minimum}")

    def _any_of(self, value: Any, schema: Structural, path: str) -> Iterator[FieldError]:
        failures = []
        for option in schema.any_of:
            found = list(self._all(value, _NONE, option, path))
            if not found:
                return
            failures.append(found)
        why = f'"{path}" must validate at least one schema (anyOf)'
        yield invalid_value(self._prefix or "<nil>", "", why)
        yield from failures[0]

    def _object(self, value: dict[str, Any], old: Any, schema: Structural, path: str) -> Iterator[FieldError]:
        properties = schema.properties
        if schema.additional is not None:
            for name in sorted(value.keys() - properties.keys()):
                yield from self.of(value[name], _part_of(old, name, schema), schema.additional, f"{path}.{name}")
        for name, part in properties.items():
            if name in value:
                before = _part_of(old, name, schema)
                yield from self.of(value[name], before, part, f"{path}.{name}" if path else name)
        for name in schema.required:
            if name not in value:
                yield required(self._field(f"{path}.{name}"))

    def _enum(self, value: Any, schema: Structural, path: str) -> FieldError:
        return not_supported(self._field(path), value, [str(one) for one in schema.enum])

    def _mistyped(self, path: str, wanted: str, given: str) -> FieldError:
        text = f"{path} in body must be of type {wanted}: {quote(given)}"
        return type_invalid(self._field(path), given, text)

    def _invalid(self, path: str, value: Any, text: str) -> FieldError:
        return invalid_value(self._field(path), value, text)

    def _field(self, path: str) -> str:
        path = path.removeprefix(".")
        return ".".join(part for part in (self._prefix, path) if part) or "<nil>"


def _fits(value: float, bits: int) -> bool:
    return value == int(value) and -(1 << bits) <= value < 1 << bits


_GIVEN_FORMATS = {"integer": "int64", "number": "float64"}
