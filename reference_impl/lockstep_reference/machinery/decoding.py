"""Replies as client-go decodes them (rest.Result, runtime/serializer/json).

What does not decode raises `DecodeError` with Go's text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lockstep.wire.gojson import STRING, DecodeError, Struct, Type, decode, to_text
from lockstep.wire.gojson_syntax import syntax_error
from lockstep.wire.gotext import quote
from lockstep.wire.metav1 import STATUS
from lockstep_reference.machinery.transport import Response

#: How errors name the scheme in which a kind is looked up: where upstream makes it.
SCHEME = '"pkg/runtime/scheme.go:111"'
JSON = "application/json"
_INTERPRETING = "couldn't get version/kind; json parse error: "
_FIND_KIND = Struct(
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    {"apiVersion": STRING, "kind": STRING},
    anonymous=True,
)

Object = Mapping[str, Any]
#: Types by kind.
Kinds = Mapping[str, Type]
_NOTHING: Object = {}
#: Kinds that are known whatever version an answer claims, or leaves out (Scheme.AddUnversionedTypes).
_UNVERSIONED: Kinds = {"Status": STATUS}


def decode_into(response: Response, type_: Type) -> Object:
    """The body as this type, whatever kind it says it is: the type is in no scheme (Result.Into)."""
    value = _json_body(response)
    _interpret(value)
    decode(value, type_)
    return value or _NOTHING


def decode_list(response: Response, group_version: str, kind: str, kinds: Kinds) -> Object:
    """The body as this kind, which may be left out; `kinds` are those of its group and version (Result.Into).

    Another kind of the group is decoded for nothing, and the answer is empty. So is a Status, unless it is a failure.
    """
    value = _json_body(response)
    actual_version, actual_kind = _interpret(value)
    actual_version, actual_kind = actual_version or group_version, actual_kind or kind
    decode(value, _registered(actual_version, actual_kind, {group_version: kinds}))
    if actual_kind == "Status" and value.get("status") != "Success":
        raise DecodeError(value.get("message") or "")
    return (value or _NOTHING) if actual_kind == kind else _NOTHING


def decode_registered(response: Response, versions: Mapping[str, Kinds]) -> tuple[str, str, Object]:
    """Group and version, kind and object of the raw body, which must say what it is (UniversalDecoder).

    `versions` are the kinds known besides Status, by group and version. Upstream reads what is no JSON object as YAML;
    here, text that is no JSON counts as one string.
    """
    value, text = response.body, response.body
    if isinstance(text, str):
        if not text.strip():
            value = None
        elif text.lstrip().startswith("{") or not _syntax_error(text):
            value = _parse(text)
    group_version, kind = _interpret(value)
    for what, found in (("Kind", kind), ("apiVersion", group_version)):
        if not found:
            raise DecodeError(f"Object '{what}' is missing in '{text if isinstance(text, str) else to_text(value)}'")
    decode(value, _registered(group_version, kind, versions))
    return group_version, kind, value


def _registered(group_version: str, kind: str, versions: Mapping[str, Kinds]) -> Type:
    """Look up a kind (Scheme.New)."""
    type_ = versions.get(group_version, {}).get(kind) or _UNVERSIONED.get(kind)
    if type_ is None:
        raise DecodeError(f"no kind {quote(kind)} is registered for version {quote(group_version)} in scheme {SCHEME}")
    return type_


def _json_body(response: Response) -> Any:
    """The body of a reply that must be JSON."""
    content_type = response.headers.get("Content-Type") or JSON
    if content_type.partition(";")[0].strip() != JSON:
        raise DecodeError(f"serializer for {content_type} doesn't exist")
    if not isinstance(response.body, str):
        return response.body
    if not response.body:
        raise DecodeError(f"0-length response with status code: {response.status} and content type: {content_type}")
    return _parse(response.body)


def _parse(text: str) -> Any:
    if problem := _syntax_error(text):
        raise DecodeError(f"{_INTERPRETING}{problem}")
    return json.loads(text, strict=False)


def _syntax_error(text: str) -> str:
    return syntax_error(text.encode("utf-8", "surrogatepass"))


def _interpret(value: Any) -> tuple[str, str]:
    """Group with version, and kind, "" if they are not given (SimpleMetaFactory.Interpret, ParseGroupVersion)."""
    try:
        decode(value, _FIND_KIND)
    except DecodeError as error:
        raise DecodeError(f"{_INTERPRETING}{error}") from error
    found = value or _NOTHING
    group_version, kind = found.get("apiVersion") or "", found.get("kind") or ""
    if group_version.count("/") > 1:
        raise DecodeError(f"unexpected GroupVersion string: {group_version}")
    return ("" if group_version == "/" else group_version), kind
