"""A body in JSON, checked against Go's types: which fields there are, and what values they may have.

From the same table as protobuf. A value of the wrong type is refused with the message of encoding/json. A null is left
out. An unknown field is left out and reported.
"""

from __future__ import annotations

import re
from typing import Any

from lockstep.apiserver.builtin.types import OBJECT_META, fields, is_struct, type_of
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.state import Path
from lockstep.serving.protobuf.decoding import SCHEMA
from lockstep.wire.quantity import read_quantity

_ZEROS: dict[str, Any] = {"string": "", "bool": False, "int32": 0, "int64": 0, "uint32": 0, "double": 0}
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint32": (0, 2**32 - 1)}
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_RANGES, (int,)),
    "string": (str,),
    "bytes": (str,),
    "bool": (bool,),
    "double": (int, float),
}
#: Exponents that no real quantity has; the number itself would not fit into memory.
_LONG_EXPONENT = re.compile(r"[eE][+-]?[0-9]{4,}")
#: Types that hold any JSON.
_ANYTHING = frozenset({"raw", "json", "fields"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}\Z")
_BASE64_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_GO_NAMES = {"double": "float64", "bytes": "[]uint8"}
_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def known_fields(kind: Kind, sent: Any) -> tuple[Any, list[Path]]:
    """See `FieldRules`. Raises ValueError, with Go's message, if a value has the wrong type.

    For custom resources, only the metadata is checked: their schemas check the rest.
    """
    unknown: list[Path] = []
    if not kind.strategic:
        if type(sent.get("metadata")) is dict:
            metadata = _Reader(kind.kind, unknown).struct(sent["metadata"], OBJECT_META, ("metadata",))
            sent = sent if metadata is sent["metadata"] else {**sent, "metadata": metadata}
        return sent, unknown
    name = type_of(kind.api_version, kind.kind)
    if not name:
        return sent, unknown
    kept = _Reader(kind.kind, unknown).struct(sent, name, ())
    # A struct is written even if it is empty.
    spec = fields(name).get("spec")
    missing = "spec" not in kept and spec is not None and is_struct(spec.type)
    return ({**kept, "spec": {}} if missing else kept), unknown


def shaped_as(version: str, kind: str, sent: Any) -> Any:
    """The decoded body of another kind than its path serves, such as an Eviction. Raises ValueError."""
    name = type_of(version, kind)
    return sent if not name else _Reader(kind, []).value(sent, name, ())


class _Key(str):
    """The key of a map: it belongs to a path, but Go's decoder does not name it."""

    __slots__ = ()


class _Reader:
    """Reads one body; `unknown` gets the paths of unknown fields."""

    def __init__(self, kind: str, unknown: list[Path]) -> None:
        self._kind = kind
        self._unknown = unknown

    def value(self, value: Any, kind: str, path: Path, owner: str = "", go: str = "") -> Any:
        """The value as decoded; the same object, if nothing had to be changed. `go`: see `Field.go`."""
        if kind.startswith("list "):
            return self._list(value, kind, path, owner, go)
        if kind.startswith("map "):
            return self._map(value, kind, path, owner, go)
        if is_struct(kind):
            if type(value) is not dict:
                raise _mismatch(value, kind, path, owner)
            return self.struct(value, kind, path)
        if kind.startswith("schema or "):
            return self._schema_or(value, kind, path)
        _check_scalar(value, kind, path, owner, go)
        return value

    def struct(self, value: dict[str, Any], kind: str, path: Path) -> dict[str, Any]:
        """An object with fields."""
        known, result, same = fields(kind), {}, True
        for key, item in value.items():
            inner = known.get(key)
            if inner is None:
                self._unknown.append((*path, key))
                same = False
            elif item is None:
                same = False
            else:
                kept = result[key] = self.value(item, inner.type, (*path, key), kind, inner.go)
                same = same and kept is item
        return value if same else result

    def _list(self, value: Any, kind: str, path: Path, owner: str, go: str) -> Any:
        if type(value) is not list:
            raise _mismatch(value, kind, path, owner, go)
        inner, inner_go = kind[5:], go[2:] if go.startswith("[]") else ""
        result = [
            _zero(inner) if item is None else self.value(item, inner, (*path, index), owner, inner_go)
            for index, item in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(result, value, strict=True)) else result

    def _map(self, value: Any, kind: str, path: Path, owner: str, go: str) -> Any:
        if type(value) is not dict:
            raise _mismatch(value, kind, path, owner, go)
        inner = kind[4:]
        nested = is_struct(inner) or " " in inner  # of plain values, Go names the map, not the key
        result = {
            key: _zero(inner) if item is None else self.value(item, inner, (*path, key) if nested else path, owner)
            for key, item in value.items()
        }
        return value if all(item is value[key] for key, item in result.items()) else result

    def _schema_or(self, value: Any, kind: str, path: Path) -> Any:
        if type(value) is dict:
            return self.struct(value, SCHEMA, path)
        if kind == "schema or bool":
            if type(value) is bool:
                return value
            raise ValueError("boolean or JSON schema expected")
        if type(value) is list:
            return self._list(
                value, "list string" if kind == "schema or strings" else f"list {SCHEMA}", path, SCHEMA, ""
            )
        return None


def _zero(kind: str) -> Any:
    """The value that a null in a list or map becomes."""
    return {} if is_struct(kind) else _ZEROS.get(kind)


def _check_scalar(value: Any, kind: str, path: Path, owner: str, go: str) -> None:
    types = _TYPES.get(kind)
    if types is not None:
        limits = _RANGES.get(kind)
        if type(value) not in types or (limits is not None and not limits[0] <= value <= limits[1]):
            raise _mismatch(value, kind, path, owner, go)
        if kind == "bytes":
            _check_base64(value)
    elif kind == "quantity":
        _check_quantity(value)
    elif kind == "intorstring":
        low, high = _RANGES["int32"]
        if type(value) is not str and (type(value) is not int or not low <= value <= high):
            raise _mismatch(value, "int32", path, owner)
    elif kind not in _ANYTHING and type(value) is not str:  # times
        raise _mismatch(value, "string", path, owner, go)


def _check_base64(text: str) -> None:
    bare = text.replace("\n", "").replace("\r", "")
    found = _BASE64.match(bare)
    if found is None or len(bare) % 4:
        at = next((n for n, character in enumerate(bare) if character not in _BASE64_ALPHABET), len(bare) // 4 * 4)
        raise ValueError(f"illegal base64 data at input byte {at}")


def _check_quantity(value: Any) -> None:
    if type(value) not in (int, float, str) or _LONG_EXPONENT.search(str(value)):
        raise ValueError(_QUANTITY)
    try:
        read_quantity(value)
    except ValueError:
        raise ValueError(_QUANTITY) from None


def _mismatch(value: Any, kind: str, path: Path, owner: str, go: str = "") -> ValueError:
    """encoding/json's UnmarshalTypeError."""
    named = go or _go(kind)
    if not path:
        return ValueError(f"json: cannot unmarshal {_found(value)} into Go value of type {named}")
    field = ".".join(str(step) for step in path if not isinstance(step, int | _Key))
    struct = owner.rpartition(".")[2]
    found = _found(value)
    return ValueError(f"json: cannot unmarshal {found} into Go struct field {struct}.{field} of type {named}")


def _found(value: Any) -> str:
    kind = type(value)
    if kind in (int, float):
        return f"number {value}" if kind is float or abs(value) >= 2**31 else "number"
    return {str: "string", bool: "bool", dict: "object", list: "array"}.get(kind, "null")


def _go(kind: str) -> str:
    """The type as Go prints it."""
    if kind.startswith("list "):
        return f"[]{_go(kind[5:])}"
    if kind.startswith("map "):
        return f"map[string]{_go(kind[4:])}"
    return kind.rpartition("/")[2] if "/" in kind else _GO_NAMES.get(kind, kind)
