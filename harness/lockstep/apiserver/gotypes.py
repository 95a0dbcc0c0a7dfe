"""Go's API types as data: how decoding into them and encoding again changes an object.

A real server decodes a request's JSON into structs and, for every answer, encodes structs. So unknown fields vanish,
nulls and missing fields become zero values, and zero values are written only where the json tag says so. Kinds whose
exact form matters describe their types with the classes here, which are those of `lockstep.wire.gojson` that do both:
`take` decodes and `emit` encodes, after the round trip through the store in which empty lists and maps become null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lockstep.wire import gojson
from lockstep.wire.gojson import DecodeError, complaint
from lockstep.wire.gotime import ZERO_TIME, parse_rfc3339, rfc3339
from lockstep.wire.metav1 import time_of
from lockstep.wire.quantity import Quantity, read_quantity

_ZERO = rfc3339(ZERO_TIME)


class Unfit(ValueError):
    """A value does not fit its type: `decode` finds Go's message for it."""


def decode(sent: Any, form: Type) -> Any:
    """`form.take(sent)`. Raises DecodeError with the error that Go reports."""
    try:
        return form.take(sent)
    except ValueError as problem:
        raise DecodeError(complaint(sent, form) or str(problem)) from None


class Type(gojson.Type, Protocol):
    """What a field can hold."""

    @property
    def name(self) -> str:
        """The type as Go prints it."""

    def take(self, sent: Any) -> Any:
        """Decode a value that is not null; empty lists stay. Raises ValueError."""

    def emit(self, value: Any) -> Any:
        """Encode what `take` returned, or a zero value for None."""


class Text(gojson.Scalar):
    """A string type."""

    def __init__(self, name: str = "string") -> None:
        super().__init__(name, str)

    def take(self, sent: Any) -> str:
        """Decode."""
        if type(sent) is not str:
            raise Unfit
        return sent

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or ""


class Bool(gojson.Scalar):
    """A bool."""

    def __init__(self) -> None:
        super().__init__("bool", bool)

    def take(self, sent: Any) -> bool:
        """Decode."""
        if type(sent) is not bool:
            raise Unfit
        return sent

    def emit(self, value: Any) -> Any:
        """Encode."""
        return bool(value)


class Int(gojson.Int):
    """int32 or int64."""

    def take(self, sent: Any) -> int:
        """Decode."""
        if type(sent) is not int or sent not in self.range:
            raise Unfit
        return sent

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or 0


def _amount(text: str | None) -> Quantity | None:
    return None if text is None else read_quantity(text)


class Amount(gojson.Own):
    """resource.Quantity; its value is the spelling."""

    name = "resource.Quantity"

    def __init__(self) -> None:
        super().__init__(_amount, any_json=True)

    def take(self, sent: Any) -> str:
        """Decode."""
        return str(read_quantity(sent))

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or "0"


class Moment(gojson.Own):
    """metav1.Time: whole seconds, in UTC; zero is null."""

    name = "v1.Time"

    def __init__(self) -> None:
        super().__init__(time_of)

    def take(self, sent: Any) -> str:
        """Decode."""
        if type(sent) is not str:
            raise Unfit
        return rfc3339(parse_rfc3339(sent))

    def emit(self, value: Any) -> Any:
        """Encode."""
        return None if value == _ZERO else value


class Texts(gojson.Map):
    """map[string]string."""

    def __init__(self) -> None:
        super().__init__("map[string]string", gojson.STRING)

    def take(self, sent: Any) -> dict[str, str]:
        """Decode."""
        if type(sent) is not dict or not self.accepts(sent):
            raise Unfit
        return {key: item or "" for key, item in sent.items()}

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or None


class Slice(gojson.Slice):
    """A list of one type."""

    def __init__(self, item: Type) -> None:
        super().__init__(f"[]{item.name}", item)
        self.item = item

    def take(self, sent: Any) -> list[Any]:
        """Decode; a null in the list is a zero value."""
        if type(sent) is not list:
            raise Unfit
        take = self.item.take
        return [None if one is None else take(one) for one in sent]

    def emit(self, value: Any) -> Any:
        """Encode."""
        emit = self.item.emit
        return [emit(one) for one in value] if value else None


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct.

    `always`: written even if empty (no `omitempty`). `pointer`: null is not the zero value.
    """

    type: Type
    always: bool = False
    pointer: bool = False


class Struct(gojson.Struct):
    """A struct type. `name` has its package, `fields` are in the order of the Go source, by JSON name."""

    def __init__(self, name: str, fields: Mapping[str, Field]) -> None:
        super().__init__(name, {key: field.type for key, field in fields.items()})
        self.fields = dict(fields)
        # Bound once, since every status of every autoscaler is decoded here.
        self._takers = {name: field.type.take for name, field in self.fields.items()}
        self._emitters = [(name, field.type.emit, field.always, field.pointer) for name, field in self.fields.items()]

    def take(self, sent: Any) -> dict[str, Any]:
        """Decode."""
        if type(sent) is not dict:
            raise Unfit
        takers = self._takers
        return {name: takers[name](item) for name, item in sent.items() if item is not None and name in takers}

    def emit(self, value: Any) -> dict[str, Any]:
        """Encode."""
        value, result = value or {}, {}
        for name, emit, always, pointer in self._emitters:
            item = value.get(name)
            shown = None if pointer and item is None else emit(item)
            if always or shown or (pointer and item is not None):
                result[name] = shown
        return result
