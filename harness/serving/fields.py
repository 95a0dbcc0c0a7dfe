"""Which fields the built-in kinds have, in JSON: from the same table as protobuf, which Go's types gave."""

from __future__ import annotations

from functools import cache
from typing import Any

from harness.apiserver.kinds import Kind
from harness.apiserver.strictness import Path
from harness.serving.protobuf.decoding import table, type_of

_METADATA = {"metadata": "meta/v1.ObjectMeta"}


def known_fields(kind: Kind, sent: Any) -> tuple[Any, list[Path]]:
    """What was sent without the fields that Go's type does not have, and where those were (see `FieldRules`).

    Of custom resources, only the metadata is looked at: their schemas say the rest. Kinds that the table does not have
    keep everything.
    """
    unknown: list[Path] = []
    if not kind.strategic:
        if type(sent) is dict and type(sent.get("metadata")) is dict:
            metadata = _kept(sent["metadata"], _METADATA["metadata"], ("metadata",), unknown)
            sent = sent if metadata is sent["metadata"] else {**sent, "metadata": metadata}
        return sent, unknown
    name = type_of(kind.api_version, kind.kind)
    return (sent if name is None else _kept(sent, name, (), unknown)), unknown


def _kept(value: Any, kind: str, path: Path, unknown: list[Path]) -> Any:
    """The value, or a copy without what is unknown in it."""
    if kind.startswith("list "):
        return _kept_list(value, kind[5:], path, unknown)
    if kind.startswith("map "):
        inner = kind[4:]
        if type(value) is not dict or not _has_fields(inner):
            return value
        return _same_or(value, {key: _kept(item, inner, (*path, key), unknown) for key, item in value.items()})
    if type(value) is not dict or kind not in table():
        return value
    known, result = _fields_of(kind), {}
    for key, item in value.items():
        inner = known.get(key, "")
        if inner:
            result[key] = _kept(item, inner, (*path, key), unknown)
        else:
            unknown.append((*path, key))
    return _same_or(value, result)


def _kept_list(value: Any, inner: str, path: Path, unknown: list[Path]) -> Any:
    if type(value) is not list or not _has_fields(inner):
        return value
    result = [_kept(item, inner, (*path, index), unknown) for index, item in enumerate(value)]
    return value if all(new is old for new, old in zip(result, value, strict=True)) else result


def _same_or(value: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    same = len(result) == len(value) and all(item is value[key] for key, item in result.items())
    return value if same else result


@cache
def _has_fields(kind: str) -> bool:
    return kind.removeprefix("list ").removeprefix("map ") in table()


@cache
def _fields_of(kind: str) -> dict[str, str]:
    """The types of a struct's fields by their names; those of inlined structs are its own."""
    found: dict[str, str] = {}
    for name, inner, _ in table()[kind].values():
        found.update({name: inner} if name else _fields_of(inner))
    return found
