"""Go's errors when JSON does not fit the type that it is decoded into (sigs.k8s.io/json, encoding/json).

A type has two checks: `accepts` is fast, for values that are nearly always valid; `visit` finds Go's complaint. Go
continues after a value of the wrong type, and reports the first of them at the end. But if a type parses its own text
(times, quantities), an error ends decoding at once, and is the one reported. `null` leaves a value as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import orjson

_KINDS = {
    str: "string", bool: "bool", int: "number", float: "number", dict: "object", list: "array", type(None): "null"
}  # fmt: skip


class DecodeError(ValueError):
    """The value does not fit; `str()` is Go's message."""


class Place:
    """Where in the value we are: the innermost struct, and the fields on the way. Keeps the first complaint."""

    def __init__(self, struct: str = "", *fields: str) -> None:
        self.struct = struct
        self.fields = list(fields)
        self.first = ""

    def mismatch(self, what: str, type_name: str) -> str:
        """UnmarshalTypeError."""
        where = f"struct field {self.struct}.{'.'.join(self.fields)} of" if self.fields else "value of"
        return f"json: cannot unmarshal {what} into Go {where} type {type_name}"

    def complain(self, what: str, type_name: str) -> None:
        """Remember the complaint, if it is the first."""
        self.first = self.first or self.mismatch(what, type_name)


class Type(Protocol):
    """A Go type."""

    def accepts(self, value: Any) -> bool:
        """Whether decoding succeeds."""

    def visit(self, value: Any, place: Place) -> None:
        """Complain about what does not fit. Raises DecodeError for an error that ends decoding."""


def decode(value: Any, type_: Type) -> None:
    """Check that the value can be decoded. Raises DecodeError."""
    if not type_.accepts(value):
        raise DecodeError(complaint(value, type_))


def complaint(value: Any, type_: Type, place: Place | None = None) -> str:
    """Go's complaint about a value, alone or at a place inside another one; "" if it fits."""
    place = place or Place()
    try:
        type_.visit(value, place)
    except DecodeError as error:
        return str(error)
    return place.first


def kind_of(value: Any) -> str:
    """The name of a JSON value's type in messages."""
    return _KINDS[type(value)]


class Scalar:
    """A string or bool of the language, by Go's name for the type."""

    def __init__(self, name: str, python: type) -> None:
        self.name = name
        self._python = python

    def accepts(self, value: Any) -> bool:
        """Whether it is one."""
        return value is None or type(value) is self._python

    def visit(self, value: Any, place: Place) -> None:
        """Complain if it is not."""
        if not self.accepts(value):
            place.complain(kind_of(value), self.name)


class Int:
    """A whole number of `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.name = f"int{bits}"
        self.range = range(-(1 << bits - 1), 1 << bits - 1)

    def accepts(self, value: Any) -> bool:
        """Whether it is one."""
        return value is None or (type(value) is int and value in self.range)

    def visit(self, value: Any, place: Place) -> None:
        """Complain if it is not."""
        if not self.accepts(value):
            kind = kind_of(value)
            place.complain(f"number {to_text(value)}" if kind == "number" else kind, self.name)


class Own:
    """A type that reads its JSON itself (UnmarshalJSON); `read` raises ValueError with its text.

    `read` gets a string, or None for null.
    """

    def __init__(self, read: Callable[[str | None], Any], *, any_json: bool = False) -> None:
        self._read = read
        self._any_json = any_json

    def accepts(self, value: Any) -> bool:
        """Whether it can be read."""
        if type(value) is not str and value is not None:
            if not self._any_json:
                return False
            value = to_text(value)
        try:
            self._read(value)
        except ValueError:
            return False
        return True

    def visit(self, value: Any, place: Place) -> None:
        """Raises DecodeError if it cannot be read."""
        if type(value) is not str and value is not None:
            if not self._any_json:
                raise DecodeError(place.mismatch(kind_of(value), "string"))
            value = to_text(value)
        try:
            self._read(value)
        except ValueError as error:
            raise DecodeError(str(error)) from error


class Slice:
    """A list. `name` is that of the list's type, such as `[]string`."""

    def __init__(self, name: str, element: Type) -> None:
        self.name = name
        self._element = element
        self._accepts = element.accepts

    def accepts(self, value: Any) -> bool:
        """Whether every element fits."""
        if type(value) is not list:
            return value is None
        accepts = self._accepts
        for each in value:  # noqa: SIM110 - a generator takes longer
            if not accepts(each):
                return False
        return True

    def visit(self, value: Any, place: Place) -> None:
        """Complain, or look at the elements."""
        if isinstance(value, list):
            for each in value:
                self._element.visit(each, place)
        elif value is not None:
            place.complain(kind_of(value), self.name)


class Map:
    """A map with strings as keys. `name` is that of the map's type, such as `v1.ResourceList`."""

    def __init__(self, name: str, element: Type) -> None:
        self.name = name
        self._element = element
        self._accepts = element.accepts

    def accepts(self, value: Any) -> bool:
        """Whether every value fits."""
        if type(value) is not dict:
            return value is None
        accepts = self._accepts
        for each in value.values():  # noqa: SIM110 - a generator takes longer
            if not accepts(each):
                return False
        return True

    def visit(self, value: Any, place: Place) -> None:
        """Complain, or look at the values."""
        if isinstance(value, dict):
            for each in value.values():
                self._element.visit(each, place)
        elif value is not None:
            place.complain(kind_of(value), self.name)


class Struct:
    """A struct. `name` has its package (`v1.ObjectMeta`); fields that are not named are ignored, as Go does.

    `embedded` are fields of an inlined struct, by the name of that struct. An `anonymous` struct has its text as name.
    """

    def __init__(
        self,
        name: str,
        fields: Mapping[str, Type],
        embedded: Mapping[str, Mapping[str, Type]] | None = None,
        *,
        anonymous: bool = False,
    ) -> None:
        self.name = name
        self._short = "" if anonymous else name.rpartition(".")[2]
        self._fields: dict[str, tuple[tuple[str, ...], Type]] = {key: ((key,), type_) for key, type_ in fields.items()}
        for struct, inner in (embedded or {}).items():
            self._fields.update({key: ((struct, key), type_) for key, type_ in inner.items()})
        self._accepts = {key: type_.accepts for key, (_, type_) in self._fields.items()}

    def accepts(self, value: Any) -> bool:
        """Whether every known field fits."""
        if type(value) is not dict:
            return value is None
        find = self._accepts.get
        for key, each in value.items():
            accepts = find(key)
            if accepts is not None and not accepts(each):
                return False
        return True

    def visit(self, value: Any, place: Place) -> None:
        """Complain, or look at the fields in the order in which they come."""
        if not isinstance(value, dict):
            if value is not None:
                place.complain(kind_of(value), self.name)
            return
        struct, depth = place.struct, len(place.fields)
        for key, each in value.items():
            field = self._fields.get(key)
            if field is not None:
                path, type_ = field
                place.struct = self._short
                place.fields.extend(path)
                type_.visit(each, place)
                place.struct = struct
                del place.fields[depth:]


class Anything:
    """A type that takes any JSON."""

    def accepts(self, value: Any) -> bool:
        """Always."""
        return True

    def visit(self, value: Any, place: Place) -> None:
        """Nothing to complain about."""


def to_text(value: Any) -> str:
    """The value as JSON, as it came over the wire."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # numbers of more than 64 bits
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


STRING: Type = Scalar("string", str)
BOOL: Type = Scalar("bool", bool)
INT32: Type = Int(32)
INT64: Type = Int(64)


def string_type(name: str) -> Type:
    """A named string type, such as `types.UID`."""
    return Scalar(name, str)
