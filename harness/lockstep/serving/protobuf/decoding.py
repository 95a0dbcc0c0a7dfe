"""From Kubernetes' protobuf to JSON (apimachinery/pkg/runtime/serializer/protobuf, MarshalJSON of each type)."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from lockstep.apiserver.builtin.types import numbers, type_of

#: The first bytes of an object; a runtime.Unknown follows.
MAGIC = b"k8s\x00"
SCHEMA = "apiextensions/v1.JSONSchemaProps"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIGN = 1 << 63
_DEEPEST = 100

Field = tuple[int, Any]


class MalformedProtobuf(ValueError):
    """The bytes do not encode a known object; the message says why."""


def decode(raw: bytes) -> dict[str, Any]:
    """The object in these bytes. Raises MalformedProtobuf."""
    if not raw.startswith(MAGIC):
        raise MalformedProtobuf(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    try:
        unknown = dict(_fields(memoryview(raw)[len(MAGIC) :]))
        head = {number: bytes(value).decode() for number, value in _fields(unknown.get(1, memoryview(b"")))}
        version, kind = head.get(1, ""), head.get(2, "")
        return {
            "apiVersion": version,
            "kind": kind,
            **_message(unknown.get(2, memoryview(b"")), _type(version, kind), 0),
        }
    except (IndexError, struct.error, UnicodeDecodeError, TypeError, OverflowError, orjson.JSONDecodeError) as error:
        raise MalformedProtobuf(f"proto: {error}") from None


def _type(version: str, kind: str) -> str:
    name = type_of(version, kind)
    if not name:
        raise MalformedProtobuf(f'no kind "{kind}" is registered for version "{version}"')
    return name


def _fields(data: memoryview) -> Iterator[Field]:
    """Field numbers with raw values: an integer, or a view of bytes."""
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, position = _varint(data, position)
            yield number, value
            continue
        size = {_FIXED64: 8, _FIXED32: 4}.get(wire)
        if wire == _BYTES:
            size, position = _varint(data, position)
        if size is None or position + size > len(data):
            raise IndexError("unexpected EOF")
        yield number, data[position : position + size]
        position += size


def _varint(data: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise OverflowError("integer overflow")


def _message(data: memoryview, name: str, depth: int) -> dict[str, Any]:
    """A message as its JSON object."""
    if depth > _DEEPEST:
        raise MalformedProtobuf("proto: nested too deeply")
    known = numbers(name)
    found: dict[str, Any] = {}
    for number, raw in _fields(data):
        field = known.get(number)
        if field is None:
            continue
        json_name, kind = field.name, field.type
        if kind.startswith("list "):
            found.setdefault(json_name, []).append(_value(raw, kind[5:], depth))
        elif kind.startswith("map "):
            entry = dict(_fields(raw))
            key = bytes(entry.get(1, b"")).decode()
            found.setdefault(json_name, {})[key] = _value(entry.get(2, memoryview(b"")), kind[4:], depth)
        elif not json_name:
            found.update(_message(raw, kind, depth + 1))
        else:
            value = _value(raw, kind, depth)
            if field.pointer or not field.omitempty or value or isinstance(value, dict):
                found[json_name] = value
    return found


def _value(raw: Any, kind: str, depth: int) -> Any:
    if kind.startswith("list "):  # a list of lists: a message with one repeated field
        return [_value(item, kind[5:], depth + 1) for _, item in _fields(raw)]
    if kind.startswith("schema or "):
        return _schema_or(raw, kind, depth)
    convert = _CONVERSIONS.get(kind)
    return convert(raw) if convert is not None else _message(raw, kind, depth + 1)


def _schema_or(raw: memoryview, kind: str, depth: int) -> Any:
    """JSONSchemaPropsOrArray, ...OrBool and ...OrStringArray: one of two fields is there."""
    fields = list(_fields(raw))
    first = [inner for number, inner in fields if number == 1]
    second = [inner for number, inner in fields if number == 2]
    if kind == "schema or bool":
        return _message(second[0], SCHEMA, depth + 1) if second else any(first)
    if first:
        return _message(first[0], SCHEMA, depth + 1)
    return [_string(one) if kind == "schema or strings" else _message(one, SCHEMA, depth + 1) for one in second]


def _string(raw: memoryview) -> str:
    return bytes(raw).decode()


def _signed(raw: int) -> int:
    return raw - (_SIGN << 1) if raw & _SIGN else raw


def _double(raw: memoryview) -> float:
    return float(struct.unpack("<d", raw)[0])


def _base64(raw: memoryview) -> str:
    return base64.b64encode(raw).decode()


def _quantity(raw: memoryview) -> str:
    return _string(dict(_fields(raw)).get(1, memoryview(b"0"))) or "0"


def _int_or_string(raw: memoryview) -> int | str:
    found = dict(_fields(raw))
    return _string(found.get(3, memoryview(b""))) if found.get(1) else _signed(found.get(2, 0))


def _moment(raw: memoryview) -> tuple[datetime, int] | None:
    found = dict(_fields(raw))
    if not found:
        return None
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=_signed(found.get(1, 0)))
    return at, _signed(found.get(2, 0))


def _time(raw: memoryview) -> str | None:
    moment = _moment(raw)
    return None if moment is None else moment[0].strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(raw: memoryview) -> str | None:
    moment = _moment(raw)
    return None if moment is None else f"{moment[0]:%Y-%m-%dT%H:%M:%S}.{moment[1] // 1000:06d}Z"


def _raw_json(raw: memoryview) -> Any:
    return orjson.loads(bytes(dict(_fields(raw)).get(1, b"null")))


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "string": _string,
    "bool": bool,
    "int32": _signed,
    "int64": _signed,
    "uint32": int,
    "double": _double,
    "bytes": _base64,
    "quantity": _quantity,
    "intorstring": _int_or_string,
    "time": _time,
    "microtime": _micro_time,
    **dict.fromkeys(("raw", "json", "fields"), _raw_json),
}
