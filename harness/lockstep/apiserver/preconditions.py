"""Preconditions of a write on the stored version, with the messages of upstream's storage (apiserver/pkg/storage)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.state import Call
from lockstep.wire.field import invalid_value
from lockstep.wire.gotext import quote

#: By resource, if its objects have another prefix in etcd (pkg/kubeapiserver/default_storage_factory_builder.go).
_PREFIXES = {
    "endpoints": "services/endpoints",
    "ingresses": "ingress",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "services": "services/specs",
}
_GROUPED = ("apiextensions.k8s.io", "apiregistration.k8s.io")
_HIGHEST = 2**64 - 1
#: More digits than any number that fits; Python refuses to parse thousands of digits.
MOST_DIGITS = 100


def precondition_failed(call: Call, what: str, wanted: str, recorded: str) -> str:
    """Why a precondition does not hold (Preconditions.Check). `what`: "UID" or "ResourceVersion"."""
    return (
        f"StorageError: invalid object, Code: 4, Key: {_key(call)}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {recorded}"
    )


def _key(call: Call) -> str:
    kind = call.kind
    group = kind.group if not kind.strategic or kind.group in _GROUPED else ""
    prefix = _PREFIXES.get(kind.plural, kind.plural)
    return "/".join(part for part in ("/registry", group, prefix, call.namespace, call.name) if part)


def version_problem(text: str) -> str:
    """The message of Go's strconv about the text of a version; empty if the text is valid."""
    if not (text.isascii() and text.isdecimal()):
        return f"strconv.ParseUint: parsing {quote(text)}: invalid syntax"
    if len(text) > MOST_DIGITS or int(text) > _HIGHEST:
        return f"strconv.ParseUint: parsing {quote(text)}: value out of range"
    return ""


def parsed_version(text: str) -> int:
    """The version in a body that is to replace an object; 0 if it has none. Raises ApiError 500, as upstream does."""
    problem = version_problem(text) if text else ""
    if problem:
        raise errors.ApiError(500, "", problem)
    return int(text or "0")


def check_version(call: Call, new: dict[str, Any], old: dict[str, Any]) -> None:
    """The update's version must be the stored one; for most kinds it is optional. Raises ApiError."""
    version = new.get("resourceVersion") or ""
    if not parsed_version(version):
        if not call.kind.unconditional_update:
            finding = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
            raise errors.invalid(call.kind.group, call.kind.plural, call.name, [finding])
    elif version != old["resourceVersion"]:
        raise call.conflict()
