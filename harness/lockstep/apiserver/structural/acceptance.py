"""A fast check whether a value fits its schema, as nearly all do: one function for each schema, made once.

A value that it does not accept may still be valid; `validation` decides that, and makes the messages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver.structural.formats import is_date_time
from lockstep.apiserver.structural.schema import Structural

Accepts = Callable[[Any], bool]

_PYTHON_TYPES = {"string": str, "boolean": bool, "integer": int, "object": dict, "array": list}
_DATE_TIME = "date-time"
_MOST_KNOWN = 1000
_known: dict[int, tuple[Structural, Accepts]] = {}


def acceptor(schema: Structural) -> Accepts:
    """The function of a schema. It never accepts an invalid value, except that rules (CEL) are not checked."""
    known = _known.get(id(schema))
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        # The schema is kept, so that no other object gets its identity.
        known = _known[id(schema)] = schema, _accepts(schema)
    return known[1]


def _accepts(schema: Structural) -> Accepts:
    parts = [_any_of(schema), _string(schema), _number(schema), _members(schema), _object(schema), _enum(schema)]
    checks = [part for part in parts if part is not None]
    types = frozenset(_PYTHON_TYPES[name] for name in schema.types if name in _PYTHON_TYPES)
    if "number" in schema.types:
        types |= {int, float}
    if schema.types and not checks:
        return lambda value: type(value) in types

    def accepts(value: Any) -> bool:
        if value is None or (types and type(value) not in types):
            return False
        for check in checks:  # noqa: SIM110 - a generator takes longer
            if not check(value):
                return False
        return True

    return accepts


def _any_of(schema: Structural) -> Accepts | None:
    options = [_accepts(option) for option in schema.any_of]
    return (lambda value: any(option(value) for option in options)) if options else None


def _string(schema: Structural) -> Accepts | None:
    pattern, is_time = schema.pattern, schema.format == _DATE_TIME
    if pattern is None:
        return (lambda value: type(value) is not str or is_date_time(value)) if is_time else None
    search = pattern.search
    return lambda value: type(value) is not str or (search(value) is not None and (not is_time or is_date_time(value)))


def _number(schema: Structural) -> Accepts | None:
    """Whole numbers of the format's size, within the bounds."""
    low, high = schema.minimum, schema.maximum
    limit = 1 << (31 if schema.format == "int32" else 63)
    whole = schema.types == ("integer",)
    if not whole and low is None and high is None:
        return None

    def accepts(value: Any) -> bool:
        if type(value) is not int and type(value) is not float:
            return True
        if whole and not -limit <= value < limit:
            return False
        return (low is None or value >= low) and (high is None or value <= high)

    return accepts


def _members(schema: Structural) -> Accepts | None:
    if schema.items is None:
        return None
    member = _accepts(schema.items)
    return lambda value: type(value) is not list or all(map(member, value))


def _object(schema: Structural) -> Accepts | None:
    """Named properties, all others, and required ones."""
    properties = {name: _accepts(part) for name, part in schema.properties.items()}
    additional = None if schema.additional is None else _accepts(schema.additional)
    required = schema.required
    if not properties and additional is None and not required:
        return None

    def accepts(value: Any) -> bool:
        if type(value) is not dict:
            return True
        for name, item in value.items():
            part = properties.get(name, additional)
            if part is not None and not part(item):
                return False
        for name in required:  # noqa: SIM110 - a generator takes longer
            if name not in value:
                return False
        return True

    return accepts


def _enum(schema: Structural) -> Accepts | None:
    return (lambda value: value in schema.enum) if schema.enum else None
