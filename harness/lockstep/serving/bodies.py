"""Bodies of requests: JSON, YAML as kubectl sends it for server-side apply, or protobuf of Go's typed clients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import yaml

from lockstep.apiserver import errors
from lockstep.apiserver.messages import Unreadable, no_object
from lockstep.serving.duplicates import duplicate_fields
from lockstep.serving.protobuf import MalformedProtobuf, decode
from lockstep.wire.gojson import kind_of
from lockstep.wire.gojson_syntax import syntax_error

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML = frozenset({"application/yaml"})
PROTOBUF = "application/vnd.kubernetes.protobuf"
_APPLY = "application/apply-patch+yaml"
_JSON, _UNKNOWN = "application/json", "application/octet-stream"
_NESTED_TOO_DEEPLY = "json: exceeded max depth"
#: Go's decoder accepts far more, but no Kubernetes object is nested more deeply than this.
_DEEPEST = 200


def parse_body(raw: bytes, content_type: str) -> tuple[Any, str]:
    """The body as data, and the media type under which the server takes it. Raises ApiError 400.

    A body of an unsupported type is not decoded: the server will refuse the type.
    """
    media = _media_type(content_type)
    if not raw:
        return None, _JSON if media in _YAML or media == PROTOBUF else media
    if media == _JSON:
        return _parse_json(raw), media
    if media.startswith("application/") and media.endswith("+json"):
        return _parse_patch(raw), media
    if media in _YAML or media == _APPLY:
        return _shallow(_parse_yaml(raw)), _JSON if media in _YAML else media
    if media == PROTOBUF:
        return _shallow(_parse_protobuf(raw)), _JSON
    return None, media


def _media_type(content_type: str) -> str:
    """The media type in a Content-Type header; an unsupported one if it is malformed (mime.ParseMediaType)."""
    media, *parameters = (part.strip() for part in content_type.split(";"))
    if any(part and "=" not in part for part in parameters) or (not media and parameters):
        return _UNKNOWN
    return media.lower() or _JSON


def complaints_about(raw: bytes, media: str) -> Sequence[str]:
    """Complaints of strict decoding about the form of a decoded body: fields that it names twice."""
    is_json = media.endswith("json") or raw[:1] == b"{"  # what kubectl applies is JSON, which is YAML as well
    return duplicate_fields(raw) if raw and is_json else ()


def _parse_protobuf(raw: bytes) -> Any:
    try:
        return decode(raw)
    except MalformedProtobuf as error:
        raise errors.bad_request(str(error)) from None


def _parse_patch(raw: bytes) -> Any:
    try:
        return _shallow(orjson.loads(raw))
    except orjson.JSONDecodeError as error:
        return Unreadable(syntax_error(raw) or str(error))


def _parse_json(raw: bytes) -> Any:
    try:
        body = _shallow(orjson.loads(raw))
    except orjson.JSONDecodeError as error:
        if (text := raw.decode(errors="replace").encode()) != raw:  # Go replaces invalid UTF-8
            return _parse_json(text)
        return Unreadable(syntax_error(raw) or str(error), raw)
    if body is None:
        return {}  # Go decodes a null into an object without fields
    return body if isinstance(body, dict) else no_object(kind_of(body), raw)


def _parse_yaml(raw: bytes) -> Any:
    try:
        # Through JSON, so that dates and other types that only YAML has become types of JSON.
        return orjson.loads(orjson.dumps(yaml.load(raw, Loader=_LOADER)))  # noqa: S506 - it is a safe loader
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise errors.bad_request(f"error converting YAML to JSON: {' '.join(str(error).split())}") from None


def _shallow(body: Any) -> Any:
    """The body. Raises ApiError 400 if it is nested more deeply than an object can be."""
    level = [body]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return body
    raise errors.bad_request(_NESTED_TOO_DEEPLY)
