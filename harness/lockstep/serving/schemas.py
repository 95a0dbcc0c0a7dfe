"""Schemas of the built-in kinds, read off the official Python client's models when somebody asks for them.

The client is generated from Kubernetes' own OpenAPI document, texts included. Where it is not installed (the extra
`cluster` brings it), a kind's schema says only that it is an object.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from types import ModuleType
from typing import Any

Object = dict[str, Any]
#: Kinds that share a name; the client's classes say the group.
_PREFIXES = {("", "Event"): "Core", ("events.k8s.io", "Event"): "Events"}
_ROOT = "io.k8s."
_VERSIONED = re.compile(r"((?:[A-Z][a-z]+)?V\d+(?:(?:alpha|beta)\d+)?)([A-Z]\w*)")
_LIST = re.compile(r"[Ll]ist\[(.+)\]")
_MAP = re.compile(r"(?:dict\(str, (.+)\)|Dict\[str, (.+)\])")
_PLAIN: dict[str, Object] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "datetime": {"type": "string", "format": "date-time"},
    "bytearray": {"type": "string", "format": "byte"},
}
_ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_GETTER = re.compile(
    r"\s*Gets the \w+ of this \w+\.\s*(?:# noqa: E501)?\s*(.*?)\s*(?:# noqa: E501)?\s*:return:.*", re.DOTALL
)


@cache
def _models() -> ModuleType | None:
    try:
        return importlib.import_module("kubernetes.client.models")
    except ImportError:
        return None


def schema_name(group: str, version: str, kind: str) -> str:
    """The name of a kind's schema."""
    prefix = _PREFIXES.get((group, kind), "")
    return _named(f"{prefix}{version[:1].upper()}{version[1:]}{kind}")


def _named(model: str) -> str:
    """The client's class as clients show it: they take what stands behind the last dot."""
    found = _VERSIONED.fullmatch(model)
    return model if found is None else f"{_ROOT}{found[1]}.{found[2]}"


def _model_of(name: str) -> str:
    return name.removeprefix(_ROOT).replace(".", "") if name.startswith(_ROOT) else name


def schemas_of(name: str) -> dict[str, Object]:
    """The schema of that name and all that it refers to, by name."""
    found: dict[str, Object] = {}
    waiting = [name]
    while waiting:
        wanted = waiting.pop()
        if wanted not in found:
            found[wanted] = _schema(wanted)
            waiting += sorted(_references(found[wanted]))
    return found


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            return [schema["$ref"].rpartition("/")[2]]
        return [name for inner in schema.values() for name in _references(inner)]
    if isinstance(schema, list):
        return [name for inner in schema for name in _references(inner)]
    return []


@cache
def _schema(name: str) -> Object:
    model = getattr(_models(), _model_of(name), None)
    if model is None or not hasattr(model, "openapi_types"):
        return {**_ANYTHING}
    properties: Object = {}
    for attribute, kind in model.openapi_types.items():
        described = _described(model, attribute)
        properties[model.attribute_map[attribute]] = {**_type(kind), **described}
    schema: Object = {"type": "object", "properties": properties}
    text = (model.__doc__ or "").partition("Attributes:")[0].strip()
    return {**schema, "description": text} if text and "auto generated" not in text else schema


def _described(model: Any, attribute: str) -> Object:
    """What the client's documentation says of a field: in the field (from release 37 on), or in its getter."""
    field = (getattr(model, "model_fields", None) or {}).get(attribute)
    text = getattr(field, "description", None)
    if text is None:
        match = _GETTER.match(getattr(getattr(model, attribute, None), "__doc__", None) or "")
        text = match[1] if match else ""
    return {"description": text} if text else {}


def _type(kind: str) -> Object:
    plain = _PLAIN.get(kind)
    if plain is not None:
        return {**plain}
    if match := _LIST.fullmatch(kind):
        return {"type": "array", "items": _type(match[1])}
    if match := _MAP.fullmatch(kind):
        return {"type": "object", "additionalProperties": _type(match[1] or match[2])}
    if kind in ("object", "Any"):
        return {"x-kubernetes-preserve-unknown-fields": True}
    return {"allOf": [{"$ref": f"#/components/schemas/{_named(kind)}"}], "default": {}}
