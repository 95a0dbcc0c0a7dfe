"""The errors for a body that is not an object of the kind that the path names.

For the body of a create or an update the error is a 400. For the result of a patch it is a 422 about a field called
"patch".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from lockstep.apiserver import errors
from lockstep.apiserver.errors import ApiError
from lockstep.apiserver.kinds import BUILT_IN, Kind
from lockstep.wire import gotext
from lockstep.wire.field import invalid_value

#: The scheme that decodes bodies, by the line of upstream's source that made it.
_SCHEME = "pkg/runtime/scheme.go:111"
_KNOWN = frozenset((kind.api_version, kind.kind) for kind in BUILT_IN)
_MISMATCH = re.compile(r"json: cannot unmarshal (\w+) into .* of type (\S+)")
_GO_KINDS = {"string": "string", "bool": "bool", "number": "int64", "object": "map", "array": "slice"}


class Undecodable(ApiError):
    """400: a body cannot be decoded; `told` is the decoder's message."""

    def __init__(self, kind: str, version: str, wanted: str, told: str) -> None:
        super().__init__(400, "BadRequest", f'{kind} in version "{version}" cannot be handled as a {wanted}: {told}')
        self.told = told


def undecodable(kind: Kind, told: str) -> Undecodable:
    """The error for a body of the right kind with a wrong value in it."""
    return Undecodable(kind.kind, kind.version, kind.kind, told)


def check_type(body: Mapping[str, Any], kind: Kind) -> None:
    """Raise ApiError 400 if a body has another kind or version."""
    if not kind.strategic and not body.get("kind"):
        shown = orjson.dumps(body).decode()
        told = f"Object 'Kind' is missing in '{shown}' ({shown})"
        raise errors.bad_request(f"the object provided is unrecognized (must be of type {kind.kind}): {told}")
    sent, version = body.get("kind") or kind.kind, body.get("apiVersion") or kind.api_version
    if version == kind.api_version and sent == kind.kind:
        return
    if not kind.strategic and version == kind.api_version:
        check_custom_type({"kind": sent, "apiVersion": version}, kind, (body.get("metadata") or {}).get("name", ""))
    if not kind.strategic or (sent == kind.kind and (version, sent) in _KNOWN):
        raise errors.bad_request(
            f"the API version in the data ({version}) does not match the expected API version ({kind.api_version})"
        )
    bare = version.rpartition("/")[2]
    if (version, sent) in _KNOWN:
        group = kind.group.partition(".")[0] or "core"
        told = f"converting ({bare}.{sent}) to ({group}.{kind.kind}): unknown conversion"
    else:
        told = f'no kind "{sent}" is registered for version "{version}" in scheme "{_SCHEME}"'
    raise Undecodable(sent, bare, kind.kind, told)


def unpatchable(problem: Undecodable, patched: Any, patch: Any, *, strategic: bool) -> ApiError:
    """422: the patched object cannot be decoded. A strategic patch is shown itself, as Go prints it."""
    shown = gotext.plain(patch) if strategic else orjson.dumps(patched).decode()
    told = _unconverted(problem.told) if strategic else problem.told
    return errors.invalid("", "", "", [invalid_value("patch", shown, told)])


def check_custom_type(payload: Mapping[str, Any], kind: Kind, name: str) -> None:
    """Raise ApiError 422 if a patch gave a custom resource another kind or version."""
    sent, version = payload.get("kind"), payload.get("apiVersion")
    group = str(version).rpartition("/")[0]
    if version != kind.api_version:
        finding = invalid_value("apiVersion", version, f"must be {kind.api_version}")
        raise errors.invalid(group, str(sent), name, [finding])
    if sent != kind.kind:
        raise errors.invalid(group, str(sent), name, [invalid_value("kind", sent, f"must be {kind.kind}")])


def _unconverted(told: str) -> str:
    """The message of the converter for strategic patches, from that of a JSON decoder."""
    found = _MISMATCH.fullmatch(told)
    if found is None:
        return told
    sent, wanted = _GO_KINDS.get(found[1], found[1]), found[2]
    if wanted.startswith(("map[", "stringmap")):
        return f"cannot restore map from {sent}"
    if wanted.startswith(("[]", "list")):
        return f"cannot restore slice from {sent}"
    if "." in wanted or wanted == "struct":
        return f"cannot restore struct from: {sent}"
    return f"unrecognized type: {wanted}"
