"""How values are owned: element by element, field by field, or as a whole (structured-merge-diff's schemas).

Built-in kinds have this from the table of their types, custom resources from their schema. For unknown types, lists
are owned as a whole and maps field by field.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import orjson

from lockstep.apiserver.builtin.types import OBJECT_META, Field, fields, is_atomic, is_struct, type_of
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.structural import Structural

_NO_KEYS: Mapping[str, Any] = MappingProxyType({})


class Form:
    """How a value is owned; this class is for values of unknown types.

    `atomic`: a map is owned as a whole. `is_set`: a list of plain values, each owned separately. `keys`: the
    fields that identify the elements of a list, with the default of each (None: it is required).
    """

    def __init__(self, *, atomic: bool = False, is_set: bool = False, keys: Mapping[str, Any] = _NO_KEYS) -> None:
        self.atomic = atomic
        self.is_set = is_set
        self.keys = keys

    def field(self, name: str) -> Form:
        """The form of a field, or of a map's value."""
        return UNKNOWN

    def item(self) -> Form:
        """The form of a list's elements."""
        return UNKNOWN

    def identity(self, element: Any) -> dict[str, Any] | None:
        """The values that identify this element of a list with keys; None if it lacks one, or there are no keys."""
        if not self.keys or not isinstance(element, dict):
            return None
        found = {key: element.get(key, missing) for key, missing in self.keys.items()}
        return None if None in found.values() else found

    def label(self, element: Any) -> str | None:
        """The name of a list's element in FieldsV1; None if the list is owned as a whole."""
        if self.is_set:
            return "v:" + orjson.dumps(element).decode()
        identity = self.identity(element)
        return None if identity is None else "k:" + orjson.dumps(identity, option=orjson.OPT_SORT_KEYS).decode()


UNKNOWN = Form()


class _Published(Form):
    """The form of a type of the table; `field` is the field that has it."""

    def __init__(self, kind: str, field: Field | None = None) -> None:
        self._kind = kind
        listed = kind.removeprefix("list ")
        known = fields(listed) if field and field.list_keys and is_struct(listed) else {}
        super().__init__(
            atomic=(field.map_type if field and field.map_type else "atomic" if is_atomic(kind) else "") == "atomic",
            is_set=field is not None and field.list_type == "set",
            keys={key: known[key].facts.get("default") for key in field.list_keys} if field else _NO_KEYS,
        )

    def field(self, name: str) -> Form:
        if self._kind.startswith("map "):
            return _published(self._kind.removeprefix("map "))
        field = fields(self._kind).get(name) if is_struct(self._kind) else None
        return _published_field(self._kind, name) if field else UNKNOWN

    def item(self) -> Form:
        return _published(self._kind.removeprefix("list "))


@cache
def _published(kind: str) -> Form:
    return _Published(kind)


@cache
def _published_field(kind: str, name: str) -> Form:
    field = fields(kind)[name]
    return _Published(field.type, field)


class _Declared(Form):
    """The form of a node of a custom resource's schema."""

    def __init__(self, schema: Structural | None) -> None:
        self._schema = schema
        items = schema.items if schema else None
        known = items.properties if items else {}
        super().__init__(
            atomic=schema is not None and not schema.correlated,
            is_set=schema is not None and schema.is_set,
            keys={key: known[key].default if key in known else None for key in schema.list_keys}
            if schema
            else _NO_KEYS,
        )

    def field(self, name: str) -> Form:
        if self._schema is None:
            return UNKNOWN
        found = self._schema.properties.get(name, self._schema.additional)
        return UNKNOWN if found is None else _Declared(found)

    def item(self) -> Form:
        return _Declared(self._schema.items if self._schema else None)


class _Custom(_Declared):
    """The form of a custom resource: its metadata has the form of all metadata."""

    def field(self, name: str) -> Form:
        return _published(OBJECT_META) if name == "metadata" else super().field(name)


def form_of(kind: Kind) -> Form:
    """The form of a kind's objects."""
    if not kind.strategic:
        return _Custom(kind.schema)
    name = type_of(kind.api_version, kind.kind)
    return _published(name) if name else UNKNOWN
