"""Short ways to write the structural schemas of CustomResourceDefinitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Schema = dict[str, Any]

_DECIMAL = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
#: How controller-gen describes resource.Quantity.
_QUANTITY_PATTERN = rf"^(\+|-)?{_DECIMAL}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_DECIMAL}))?$"


def text(*allowed: str, form: str = "", nullable: bool = False) -> Schema:
    """A string; one of `allowed`, if any are named."""
    schema: Schema = {"type": "string"}
    if allowed:
        schema["enum"] = list(allowed)
    if form:
        schema["format"] = form
    if nullable:
        schema["nullable"] = True
    return schema


def moment(*, nullable: bool = False) -> Schema:
    """metav1.Time."""
    return text(form="date-time", nullable=nullable)


def integer(form: str = "", minimum: int | None = None) -> Schema:
    """An integer of a format, such as int32."""
    schema: Schema = {"type": "integer"}
    if form:
        schema["format"] = form
    if minimum is not None:
        schema["minimum"] = minimum
    return schema


def amount() -> Schema:
    """resource.Quantity: a number or a string."""
    return {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": _QUANTITY_PATTERN,
        "x-kubernetes-int-or-string": True,
    }


def amounts() -> Schema:
    """v1.ResourceList."""
    return {"type": "object", "additionalProperties": amount()}


def listing(items: Schema) -> Schema:
    """An array."""
    return {"type": "array", "items": items}


def struct(properties: Mapping[str, Schema], required: Sequence[str] = (), **more: Any) -> Schema:
    """An object with these properties; `more` are extensions, an underscore for each dash."""
    schema: Schema = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    schema.update((name.replace("_", "-"), value) for name, value in more.items())
    return schema


def root(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """The schema of a whole object, its type and metadata included."""
    common: dict[str, Schema] = {"apiVersion": text(), "kind": text(), "metadata": {"type": "object"}}
    return struct({**common, **properties}, required)
