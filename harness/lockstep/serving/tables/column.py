"""Columns of a table, and the two that nearly every table has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lockstep.serving.tables.ages import age

Object = dict[str, Any]
Cell = Callable[[Object, int], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `wide`: shown by `-o wide` only. `type`: of OpenAPI."""

    name: str
    cell: Cell
    type: str = "string"
    wide: bool = False
    format: str = ""
    description: str = ""

    def definition(self) -> Object:
        """The TableColumnDefinition."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": int(self.wide),
        }


@dataclass(frozen=True)
class Columns:
    """The columns of one resource."""

    columns: Sequence[Column]

    @cached_property
    def definitions(self) -> list[Object]:
        """The column definitions of a Table."""
        return [column.definition() for column in self.columns]

    def cells(self, one: Object, now: int) -> list[Any]:
        """One row."""
        return [column.cell(one, now) for column in self.columns]


def at(path: str, default: Any = "") -> Cell:
    """The value at a path of fields, `default` if there is none."""
    parts = tuple(path.split("."))

    def cell(one: Object, now: int) -> Any:
        found: Any = one
        for part in parts:
            found = found.get(part) if isinstance(found, dict) else None
        return default if found is None else found

    return cell


def plain(read: Callable[[Object], Any]) -> Cell:
    """The result of a function of the object alone."""
    return lambda one, _: read(one)


NAME = Column("Name", at("metadata.name"), format="name")
AGE = Column("Age", lambda one, now: age((one.get("metadata") or {}).get("creationTimestamp"), now))


def as_text(path: str, absent: str) -> Cell:
    """A value as text, whatever its type."""
    found = at(path, absent)

    def cell(one: Object, now: int) -> Any:
        return str(found(one, now))

    return cell


def number(name: str, path: str) -> Column:
    """A column with the count at a path, 0 if there is none."""
    return Column(name, at(path, 0), "integer")
