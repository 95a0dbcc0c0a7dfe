"""Schemas of the built-in kinds, as kube-apiserver publishes them, from the table of their types.

If the official Python client is installed (with the extra `cluster`), they have its descriptions.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lockstep.apiserver.builtin.types import Field, fields, is_atomic, is_struct, published_name, type_of
from lockstep.apiserver.kinds import Kind
from lockstep.serving.descriptions import description_of, descriptions_of

Object = dict[str, Any]
_REF = "#/components/schemas/"
_MACHINERY = "io.k8s.apimachinery.pkg"
_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
_PLAIN: dict[str, Object] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "uint32": {"type": "integer", "format": "int64"},
    "double": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
}
#: Types with a special form: their names, and their schemas.
_SPECIAL: dict[str, tuple[str, Object]] = {
    "time": (f"{_MACHINERY}.apis.meta.v1.Time", {"type": "string", "format": "date-time"}),
    "microtime": (f"{_MACHINERY}.apis.meta.v1.MicroTime", {"type": "string", "format": "date-time"}),
    "quantity": (f"{_MACHINERY}.api.resource.Quantity", {"oneOf": [{"type": "string"}, {"type": "number"}]}),
    "intorstring": (
        f"{_MACHINERY}.util.intstr.IntOrString",
        {"oneOf": [{"type": "integer"}, {"type": "string"}], "format": "int-or-string"},
    ),
    "fields": (f"{_MACHINERY}.apis.meta.v1.FieldsV1", {"type": "object"}),
    "raw": (f"{_MACHINERY}.runtime.RawExtension", {"type": "object"}),
    "json": (f"{_EXTENSIONS}.JSON", {}),
    "schema or list": (f"{_EXTENSIONS}.JSONSchemaPropsOrArray", {}),
    "schema or bool": (f"{_EXTENSIONS}.JSONSchemaPropsOrBool", {}),
    "schema or strings": (f"{_EXTENSIONS}.JSONSchemaPropsOrStringArray", {}),
}
_ZEROS: dict[str, Any] = {"string": "", "bool": False, "int32": 0, "int64": 0, "uint32": 0, "double": 0}
_ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
#: Names of facts about a field: in the table, and in OpenAPI.
_FACTS = {
    "default": "default",
    "list": "x-kubernetes-list-type",
    "keys": "x-kubernetes-list-map-keys",
    "map": "x-kubernetes-map-type",
    "merge": "x-kubernetes-patch-merge-key",
    "strategy": "x-kubernetes-patch-strategy",
}


def schema_name(kind: Kind) -> str:
    """The name of a kind's schema."""
    name = type_of(kind.api_version, kind.kind) if kind.strategic else ""
    return published_name(name) if name else ".".join([*reversed(kind.group.split(".")), kind.version, kind.kind])


def schemas_of(kind: Kind) -> dict[str, Object]:
    """The schemas of a built-in kind, of its lists, and of all that they refer to, by name."""
    names = [type_of(kind.api_version, name) for name in (kind.kind, f"{kind.kind}List")]
    found: dict[str, Object] = {} if names[0] else {schema_name(kind): _ANYTHING}
    waiting = [name for name in names if name]
    while waiting:
        wanted = waiting.pop()
        name = published_name(wanted) if is_struct(wanted) else _SPECIAL[wanted][0]
        if name in found:
            continue
        found[name] = schema_of(wanted) if is_struct(wanted) else _SPECIAL[wanted][1]
        inner = [_bare(field.type) for field in fields(wanted).values()] if is_struct(wanted) else []
        waiting += [one for one in inner if one not in _PLAIN]
    return found


def _bare(kind: str) -> str:
    while kind.startswith(("list ", "map ")):
        kind = kind.partition(" ")[2]
    return kind


@cache
def schema_of(name: str) -> Object:
    """The schema of a struct."""
    known, texts, text = fields(name), descriptions_of(name), description_of(name)
    schema: Object = {"type": "object"}
    if known:
        described = {key: {"description": texts[key]} if key in texts else {} for key in known}
        schema["properties"] = {key: _property(field, described[key]) for key, field in known.items()}
    if required := sorted(key for key, field in known.items() if field.required):
        schema["required"] = required
    if is_atomic(name):
        schema["x-kubernetes-map-type"] = "atomic"
    return {**schema, "description": text} if text else schema


def _property(field: Field, described: Object) -> Object:
    facts = {_FACTS[key]: value for key, value in field.facts.items() if key in _FACTS}
    value = _value(field.type, {**facts, **described})
    return {"allOf": [value]} if "$ref" in value else value


def _value(kind: str, more: Object) -> Object:
    if kind.startswith("list "):
        inner = kind.removeprefix("list ")
        return {"type": "array", "items": _value(inner, _zero(inner)), **more}
    if kind.startswith("map "):
        inner = kind.removeprefix("map ")
        return {"type": "object", "additionalProperties": _value(inner, _zero(inner)), **more}
    if kind in _PLAIN:
        return {**_PLAIN[kind], **more}
    reference = {"$ref": f"{_REF}{published_name(kind) if is_struct(kind) else _SPECIAL[kind][0]}"}
    return {"allOf": [reference], **more} if more else reference


def _zero(kind: str) -> Object:
    """The default of an element."""
    if is_struct(kind):
        return {"default": {}}
    return {"default": _ZEROS[kind]} if kind in _ZEROS else {}
