"""The types of the built-in kinds, field by field.

A type is named `GROUP/VERSION.NAME`, as in `apps/v1.ReplicaSetSpec`. The type of a field is such a name, a scalar of
protobuf, a special form (`quantity`, `time`, `raw` ...), or `list TYPE` or `map TYPE`. The table is read on first use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

_TABLE = Path(__file__).with_name("types.json")
_META = "meta/v1"
OBJECT_META = f"{_META}.ObjectMeta"
_NO_FACTS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct. `name`: in JSON, "" for a struct whose fields count as those of the outer one.

    `number`: in protobuf, negative for fields without one. `omitempty`: zero is left out. `pointer`: null is not
    zero. `facts`: see the properties.
    """

    name: str
    type: str
    number: int
    omitempty: bool
    pointer: bool
    facts: Mapping[str, Any]

    @property
    def go(self) -> str:
        """Go's name of the type, if `type` does not contain it; else ""."""
        return str(self.facts.get("go", ""))

    @property
    def required(self) -> bool:
        """Whether OpenAPI lists it as required."""
        return "required" in self.facts

    @property
    def merge_key(self) -> str:
        """The field by which a strategic merge patch identifies elements of a list; "" if there is none."""
        return str(self.facts.get("merge", ""))

    @property
    def merged(self) -> bool:
        """Whether a strategic merge patch adds to a list, instead of replacing it."""
        return "merge" in self.facts.get("strategy", "").split(",")

    @property
    def replaced(self) -> bool:
        """Whether a strategic merge patch replaces an object as a whole."""
        return self.facts.get("strategy") == "replace"

    @property
    def list_type(self) -> str:
        """How a list is owned: "map" and "set" by element; "atomic", like "", as a whole."""
        return str(self.facts.get("list", ""))

    @property
    def list_keys(self) -> tuple[str, ...]:
        """The fields by which a list of type "map" identifies its elements."""
        return tuple(self.facts.get("keys", ()))

    @property
    def map_type(self) -> str:
        """Whether a map or struct is owned field by field ("granular") or as a whole ("atomic"); "": as its type."""
        return str(self.facts.get("map", ""))


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads(_TABLE.read_bytes())
    content["atomic"] = frozenset(content["atomic"])
    return content


def is_struct(name: str) -> bool:
    """Whether a type is a struct of the table."""
    return name in _content()["types"]


def is_atomic(name: str) -> bool:
    """Whether objects of this type are owned as a whole."""
    return name in _content()["atomic"]


def type_of(version: str, kind: str) -> str:
    """The name of a kind's type: options such as DeleteOptions belong to every group. "" if it is unknown."""
    group, slash, number = version.partition("/")
    place = f"{group.partition('.')[0]}/{number}" if slash else f"core/{version}"
    return next((name for name in (f"{place}.{kind}", f"{_META}.{kind}") if is_struct(name)), "")


def published_name(name: str) -> str:
    """The name of a type in OpenAPI."""
    package, _, bare = name.partition(".")
    return f"{_content()['packages'][package]}.{bare}"


@cache
def struct(name: str) -> tuple[Field, ...]:
    """The fields of a struct, as its Go source has them. Raises KeyError for an unknown name."""
    return tuple(
        Field(field, kind, number, "o" in flags, "p" in flags, facts[0] if facts else _NO_FACTS)
        for field, kind, number, flags, *facts in _content()["types"][name]
    )


@cache
def fields(name: str) -> Mapping[str, Field]:
    """The fields of a struct by name; those of structs that it inlines are its own."""
    found: dict[str, Field] = {}
    for field in struct(name):
        found.update({field.name: field} if field.name else fields(field.type))
    return found


@cache
def numbers(name: str) -> Mapping[int, Field]:
    """The fields of a struct by their numbers in protobuf."""
    return {field.number: field for field in struct(name)}
