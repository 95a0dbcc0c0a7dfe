"""Go's API types as data, and what decoding into them and encoding again does to an object.

A real server decodes a request's JSON into structs and, for every answer, encodes structs. So unknown fields vanish,
nulls and missing fields become zero values, and zero values come out only where the json tag says so. Kinds whose exact
form matters describe their types with the classes here; `take` decodes (sigs.k8s.io/json, encoding/json) and `emit`
encodes, after the round trip through the store in which empty lists and maps become null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lockstep.wire.gojson import kind_of
from lockstep.wire.gotime import ZERO_TIME, parse_rfc3339, rfc3339
from lockstep.wire.quantity import read_quantity

_ZERO = rfc3339(ZERO_TIME)


class Mismatch(ValueError):
    """A value that its type cannot hold (json.UnmarshalTypeError); the text is Go's.

    Go decodes on after one, and reports the first at the end, unless it meets one that `ends` the decoding: an error of
    a type that decodes itself.
    """

    def __init__(self, found: str, go: str, struct: str = "", path: str = "", *, ends: bool = False) -> None:
        where = f"Go struct field {struct}.{path} of type {go}" if path else f"Go value of type {go}"
        super().__init__(f"json: cannot unmarshal {found} into {where}")
        self._parts = (found, go, struct, path)
        self.ends = ends

    def inside(self, struct: str, field: str) -> Mismatch:
        """The same, seen from a struct that has the value in `field`; the innermost struct gives its name."""
        found, go, innermost, path = self._parts
        return Mismatch(found, go, innermost or struct, f"{field}.{path}" if path else field, ends=self.ends)


def mismatch(value: Any, go: str) -> Mismatch:
    """The error for a value of the wrong JSON type."""
    return Mismatch(kind_of(value), go)


def decode(sent: Any, form: Type) -> Any:
    """`form.take(sent)`; of several errors, the one that Go reports. Raises ValueError."""
    try:
        return form.take(sent)
    except Mismatch as first:
        if not first.ends:
            _look_for_an_end(sent, form)
        raise


def _look_for_an_end(sent: Any, form: Type) -> None:
    """Raise the first error that ends the decoding, if there is one."""
    if isinstance(form, Struct) and type(sent) is dict:
        for name, item in sent.items():
            field = form.fields.get(name)
            if field is not None and item is not None:
                try:
                    _look_for_an_end(item, field.type)
                except Mismatch as problem:
                    raise problem.inside(form.bare, name) from None
    elif isinstance(form, Slice) and type(sent) is list:
        for one in sent:
            if one is not None:
                _look_for_an_end(one, form.item)
    elif isinstance(form, Amount | Moment):
        form.take(sent)


class Type(Protocol):
    """What a field can hold."""

    @property
    def go(self) -> str:
        """The type as Go prints it."""

    def take(self, sent: Any) -> Any:
        """Decode a value that is not null; empty lists stay. Raises ValueError, worded as Go words it."""

    def emit(self, value: Any) -> Any:
        """Encode what `take` returned, or a zero value for None."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string type."""

    go: str = "string"

    def take(self, sent: Any) -> str:
        """Decode."""
        if type(sent) is not str:
            raise mismatch(sent, self.go)
        return sent

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or ""


@dataclass(frozen=True, slots=True)
class Bool:
    """A bool."""

    go: str = "bool"

    def take(self, sent: Any) -> bool:
        """Decode."""
        if type(sent) is not bool:
            raise mismatch(sent, self.go)
        return sent

    def emit(self, value: Any) -> Any:
        """Encode."""
        return bool(value)


@dataclass(frozen=True, slots=True)
class Int:
    """int32 or int64."""

    bits: int
    go: str

    def take(self, sent: Any) -> int:
        """Decode; a number with a fraction, or one that does not fit, is named in the error."""
        if type(sent) is int and -(1 << self.bits - 1) <= sent < 1 << self.bits - 1:
            return sent
        if type(sent) in (int, float):
            raise Mismatch(f"number {sent}", self.go)
        raise mismatch(sent, self.go)

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or 0


@dataclass(frozen=True, slots=True)
class Amount:
    """resource.Quantity; its value is the spelling."""

    go: str = "resource.Quantity"

    def take(self, sent: Any) -> str:
        """Decode."""
        return str(read_quantity(sent))

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or "0"


@dataclass(frozen=True, slots=True)
class Moment:
    """metav1.Time: whole seconds, in UTC; zero is null."""

    go: str = "v1.Time"

    def take(self, sent: Any) -> str:
        """Decode."""
        if type(sent) is not str:
            raise Mismatch(kind_of(sent), "string", ends=True)
        return rfc3339(parse_rfc3339(sent))

    def emit(self, value: Any) -> Any:
        """Encode."""
        return None if value == _ZERO else value


@dataclass(frozen=True, slots=True)
class Texts:
    """map[string]string."""

    go: str = "map[string]string"

    def take(self, sent: Any) -> dict[str, str]:
        """Decode."""
        if type(sent) is not dict:
            raise mismatch(sent, self.go)
        for item in sent.values():
            if item is not None and type(item) is not str:
                raise mismatch(item, "string")
        return {key: item or "" for key, item in sent.items()}

    def emit(self, value: Any) -> Any:
        """Encode."""
        return value or None


class Slice:
    """A list of one type."""

    def __init__(self, item: Type) -> None:
        self.item = item
        self.go = f"[]{item.go}"

    def take(self, sent: Any) -> list[Any]:
        """Decode; a null in the list is a zero value."""
        if type(sent) is not list:
            raise mismatch(sent, self.go)
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


class Struct:
    """A struct type. `go` is its name with its package, `fields` are in the order of the Go source, by JSON name."""

    def __init__(self, go: str, fields: Mapping[str, Field]) -> None:
        self.go = go
        self.fields = dict(fields)
        #: The name without its package.
        self.bare = go.rpartition(".")[2]
        # Bound once, since every status of every autoscaler passes here.
        self._takers = {name: field.type.take for name, field in self.fields.items()}
        self._emitters = [(name, field.type.emit, field.always, field.pointer) for name, field in self.fields.items()]

    def take(self, sent: Any) -> dict[str, Any]:
        """Decode. The first thing that is wrong, in the order of the text, is the error."""
        if type(sent) is not dict:
            raise mismatch(sent, self.go)
        takers, taken, name = self._takers, {}, ""
        try:
            for name, item in sent.items():
                if item is not None and name in takers:
                    taken[name] = takers[name](item)
        except Mismatch as problem:
            raise problem.inside(self.bare, name) from None
        return taken

    def emit(self, value: Any) -> dict[str, Any]:
        """Encode."""
        value, result = value or {}, {}
        for name, emit, always, pointer in self._emitters:
            item = value.get(name)
            shown = None if pointer and item is None else emit(item)
            if always or shown or (pointer and item is not None):
                result[name] = shown
        return result
