"""Bodies of requests: JSON, YAML as kubectl sends it for server-side apply, or protobuf of Go's typed clients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
import yaml

from harness.apiserver import errors
from harness.serving.duplicates import duplicate_fields
from harness.serving.protobuf import MalformedProtobuf, decode

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML = frozenset({"application/yaml", "application/x-yaml", "text/yaml"})
_PROTOBUF = "application/vnd.kubernetes.protobuf"
_APPLY = "application/apply-patch+yaml"
_JSON = "application/json"
_NESTED_TOO_DEEPLY = "json: exceeded max depth"
#: Where Go's decoder gives up is far deeper; what is nested more than this is no object of Kubernetes.
_DEEPEST = 200


class Body(NamedTuple):
    """A body as data, the media type under which the server takes it, and what strict decoding has against its form."""

    content: Any
    media: str
    complaints: Sequence[str] = ()


def parse_body(raw: bytes, content_type: str) -> Body:
    """Read a body. Raises ApiError 400.

    A body of a type that nobody reads is left alone: the server will refuse the type.
    """
    media = content_type.partition(";")[0].strip().lower() or _JSON
    if not raw:
        return Body(None, _JSON if media in _YAML or media == _PROTOBUF else media)
    if media == _JSON or (media.startswith("application/") and media.endswith("+json")):
        return Body(_shallow(_parse_json(raw)), media, duplicate_fields(raw))
    if media in _YAML or media == _APPLY:
        content = _shallow(_parse_yaml(raw))
        # What kubectl applies is JSON, which is YAML as well.
        return Body(content, _JSON if media in _YAML else media, duplicate_fields(raw) if raw[:1] == b"{" else ())
    if media == _PROTOBUF:
        return Body(_shallow(_parse_protobuf(raw)), _JSON)
    return Body(None, media)


def _parse_protobuf(raw: bytes) -> Any:
    try:
        return decode(raw)
    except MalformedProtobuf as error:
        raise errors.bad_request(str(error)) from None


def _parse_json(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise errors.bad_request(f"couldn't get version/kind; json parse error: {error}") from None


def _parse_yaml(raw: bytes) -> Any:
    try:
        # Through JSON, so that dates and other types of YAML alone become what JSON has.
        return orjson.loads(orjson.dumps(yaml.load(raw, Loader=_LOADER)))  # noqa: S506 - it is a safe loader
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise errors.bad_request(f"error converting YAML to JSON: {' '.join(str(error).split())}") from None


def _shallow(body: Any) -> Any:
    """The body, if it is nested no deeper than an object can be."""
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
