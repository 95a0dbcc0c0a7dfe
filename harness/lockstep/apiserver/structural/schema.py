"""A structural schema, compiled once, so that each object is checked quickly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from lockstep.apiserver.structural.rules import Rule, compile_rule

#: Supported keywords; those mapped to False do not concern single objects.
_KEYWORDS = frozenset(
    {
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maximum",
        "minimum",
        "nullable",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
    }
)
#: Formats that are not checked are dropped (StripUnsupportedFormatsPostProcess).
_FORMATS = frozenset({"int32", "int64", "float", "double", "date-time"})
_MOST_KNOWN = 256


@dataclass(slots=True)
class Structural:
    """One node of a schema."""

    types: tuple[str, ...] = ()
    nullable: bool = False
    format: str = ""
    properties: dict[str, Structural] = field(default_factory=dict)
    #: The schema of properties that are not named.
    additional: Structural | None = None
    items: Structural | None = None
    preserve: bool = False
    has_default: bool = False
    default: Any = None
    enum: tuple[Any, ...] = ()
    pattern: re.Pattern[str] | None = None
    minimum: float | None = None
    maximum: float | None = None
    required: tuple[str, ...] = ()
    any_of: tuple[Structural, ...] = ()
    rules: tuple[Rule, ...] = ()
    #: Whether the parts of an old and a new value belong together (`x-kubernetes-map-type: atomic` says no).
    correlated: bool = True
    #: Whether this node, or one below it, has rules.
    has_rules: bool = False
    #: The keys of the map that a list is (`x-kubernetes-list-type: map`).
    list_keys: tuple[str, ...] = ()
    #: Whether a list is a set (`x-kubernetes-list-type: set`).
    is_set: bool = False


_known: dict[bytes, Structural] = {}


def compile_schema(schema: Mapping[str, Any]) -> Structural:
    """The node for a schema; equal schemas share one. Raises ValueError as `_compiled` does."""
    key = orjson.dumps(schema)
    node = _known.get(key)
    if node is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        node = _known[key] = _compiled(schema)
    return node


def _compiled(schema: Mapping[str, Any]) -> Structural:
    """The node for a schema. Raises ValueError on an unsupported keyword or rule."""
    unknown = sorted(schema.keys() - _KEYWORDS)
    if unknown:
        raise ValueError(f"the schema keyword {unknown[0]!r} is not supported by the simulated API server")
    int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
    kind = schema.get("type", "")
    form = schema.get("format", "")
    node = Structural(
        types=("integer", "string") if int_or_string else (kind,) if kind else (),
        nullable=bool(schema.get("nullable")),
        format=form if form in _FORMATS else "",
        preserve=bool(schema.get("x-kubernetes-preserve-unknown-fields")),
        has_default="default" in schema,
        default=schema.get("default"),
        enum=tuple(schema.get("enum") or ()),
        pattern=re.compile(schema["pattern"]) if schema.get("pattern") else None,
        minimum=schema.get("minimum"),
        maximum=schema.get("maximum"),
        required=tuple(schema.get("required") or ()),
        any_of=tuple(_compiled(one) for one in schema.get("anyOf") or ()),
        rules=tuple(compile_rule(one) for one in schema.get("x-kubernetes-validations") or ()),
        correlated=schema.get("x-kubernetes-map-type") != "atomic",
        list_keys=tuple(schema.get("x-kubernetes-list-map-keys") or ()),
        is_set=schema.get("x-kubernetes-list-type") == "set",
    )
    node.properties = {name: _compiled(one) for name, one in (schema.get("properties") or {}).items()}
    additional, items = schema.get("additionalProperties"), schema.get("items")
    node.additional = _compiled(additional) if isinstance(additional, Mapping) else None
    node.items = _compiled(items) if items is not None else None
    parts = [*node.properties.values(), node.additional, node.items]
    node.has_rules = bool(node.rules) or any(part.has_rules for part in parts if part is not None)
    return node
