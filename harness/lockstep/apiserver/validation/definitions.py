"""Validation of CustomResourceDefinitions, as far as serving their kinds depends on it.

From apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (ValidateCustomResourceDefinition).
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.structural import compile_schema
from lockstep.wire.field import OMITTED, FieldError, invalid_value, required

_ONE_STORAGE = "must have exactly one version marked as storage version"
_NAME_RULE = 'must be spec.names.plural+"."+spec.group'


def definition_findings(payload: dict[str, Any]) -> list[FieldError]:
    """What is wrong with a definition. The simulated server refuses what it cannot check."""
    spec = payload.get("spec") or {}
    names, versions = spec.get("names") or {}, spec.get("versions") or ()
    found = [required("spec.group")] if not spec.get("group") else []
    found += [required(f"spec.names.{part}") for part in ("plural", "kind") if not names.get(part)]
    name = payload["metadata"].get("name", "")
    if not found and name != f"{names['plural']}.{spec['group']}":
        found.append(invalid_value("metadata.name", name, _NAME_RULE))
    if not versions:
        found.append(invalid_value("spec.versions", None, _ONE_STORAGE))
    for index, version in enumerate(versions):
        found += _version_findings(version, f"spec.versions[{index}]")
    return found


def _version_findings(version: dict[str, Any], path: str) -> list[FieldError]:
    if not version.get("name"):
        return [required(f"{path}.name")]
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    try:
        if schema is not None:
            compile_schema(schema)
    except ValueError as problem:
        return [invalid_value(f"{path}.schema.openAPIV3Schema", OMITTED, str(problem))]
    return []
