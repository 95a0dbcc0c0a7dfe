"""Validation of custom resources with a scale subresource.

ValidateScaleSpec and ValidateScaleStatus of apiextensions-apiserver/pkg/registry/customresource/validator.go.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.nested import nested
from lockstep.wire.field import FieldError, invalid_value

_LARGEST = 2**31 - 1


def scale_spec_findings(payload: dict[str, Any], kind: Kind) -> list[FieldError]:
    """What is wrong with the replicas in the spec of a custom resource."""
    return _replicas_findings(payload, kind.scale_paths.get("specReplicasPath", ""))


def scale_status_findings(payload: dict[str, Any], kind: Kind) -> list[FieldError]:
    """What is wrong with the replicas in its status, and with its selector."""
    found = _replicas_findings(payload, kind.scale_paths.get("statusReplicasPath", ""))
    path = kind.scale_paths.get("labelSelectorPath")
    if path:
        try:
            nested(payload, path, "string")
        except ValueError as problem:
            found.append(invalid_value(path, "", str(problem)))
    return found


def _replicas_findings(payload: dict[str, Any], path: str) -> list[FieldError]:
    try:
        replicas = nested(payload, path, "int64") or 0
    except ValueError as problem:
        return [invalid_value(path, 0, str(problem))]
    if replicas < 0:
        return [invalid_value(path, replicas, "should be a non-negative integer")]
    if replicas > _LARGEST:
        return [invalid_value(path, replicas, f"should be less than or equal to {_LARGEST}")]
    return []
