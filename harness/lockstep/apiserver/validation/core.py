"""Validation of namespaces, ConfigMaps and Secrets (pkg/apis/core/validation/validation.go)."""

from __future__ import annotations

from typing import Any

from lockstep.wire import names
from lockstep.wire.field import FieldError, invalid_value, too_long

Findings = list[FieldError]
#: MaxSecretSize: of all values together, in bytes.
_LARGEST_DATA = 1024 * 1024


def phase_findings(phase: str, metadata: dict[str, Any]) -> Findings:
    """ValidateNamespaceStatusUpdate: the phase must match whether the namespace is being deleted."""
    deleted = bool(metadata.get("deletionTimestamp"))
    wanted = "Terminating" if deleted else "Active"
    if phase == wanted:
        return []
    when = "is not empty" if deleted else "is empty"
    return [invalid_value("status.Phase", phase, f"may only be '{wanted}' if `deletionTimestamp` {when}")]


def data_findings(payload: dict[str, Any]) -> Findings:
    """ValidateConfigMap, ValidateSecret: keys are names of files, and the total size of the values is limited."""
    found: Findings = []
    size = 0
    for part in ("data", "binaryData"):
        for key, value in (payload.get(part) or {}).items():
            found.extend(invalid_value(f"{part}[{key}]", key, text) for text in names.config_key(key))
            size += len(value.encode())
    if size > _LARGEST_DATA:
        found.append(too_long("", _LARGEST_DATA))
    return found
