"""Options of a write in its query (apimachinery/pkg/apis/meta/v1/validation/validation.go)."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep.apiserver import errors
from lockstep.wire.field import forbidden_value, invalid_value, not_supported, too_long

_KINDS = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
_DIRECTIVES = ("", "Ignore", "Strict", "Warn")
_LONGEST_MANAGER = 128
_APPLY = "application/apply-patch+yaml"


def check_write_options(verb: str, query: Mapping[str, str], content_type: str) -> None:
    """ValidateCreateOptions, ValidateUpdateOptions, ValidatePatchOptions. Raises ApiError 422."""
    kind = _KINDS.get(verb)
    if kind is None:
        return
    found = []
    if kind == "PatchOptions" and "force" in query and content_type.partition(";")[0].strip() != _APPLY:
        found.append(forbidden_value("force", "may not be specified for non-apply patch"))
    manager = query.get("fieldManager", "")
    if len(manager.encode()) > _LONGEST_MANAGER:
        found.append(too_long("fieldManager", _LONGEST_MANAGER))
    for at, character in enumerate(manager):
        if not character.isprintable():
            why = f"invalid character U+{ord(character):04X} (at position {at})"
            found.append(invalid_value("fieldManager", manager, why))
    directive = query.get("fieldValidation", "")
    if directive not in _DIRECTIVES:
        found.append(not_supported("fieldValidation", directive, _DIRECTIVES))
    if found:
        raise errors.invalid("meta.k8s.io", kind, "", found)
