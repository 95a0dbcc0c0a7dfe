"""CrossVersionObjectReference: the target of an autoscaler, or the object of a metric.

From ValidateCrossVersionObjectReference and ValidateAPIVersion of pkg/apis/autoscaling/validation/validation.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.wire import names
from lockstep.wire.field import FieldError, invalid_value, required


@dataclass(frozen=True, slots=True)
class ReferenceRules:
    """`empty_group`: an apiVersion without a group is valid; `any_version`: every apiVersion is."""

    empty_group: bool = False
    any_version: bool = False


def reference_findings(reference: dict[str, Any], path: str, rules: ReferenceRules) -> list[FieldError]:
    """What is wrong with a reference."""
    found = []
    for part in ("kind", "name"):
        text = reference.get(part, "")
        if not text:
            found.append(required(f"{path}.{part}"))
        found += [invalid_value(f"{path}.{part}", text, reason) for reason in names.path_segment(text)]
    problem = api_version_problem(reference, rules)
    if problem:
        found.append(invalid_value(f"{path}.apiVersion", reference.get("apiVersion", ""), problem))
    return found


def api_version_problem(reference: dict[str, Any], rules: ReferenceRules) -> str:
    """What is wrong with the apiVersion of a reference; "" if nothing is."""
    if rules.any_version:
        return ""
    text = reference.get("apiVersion", "")
    group, slash, version = text.partition("/")
    if "/" in version and text != "/":
        return f"unexpected GroupVersion string: {text}"
    if not rules.empty_group and not (slash and group):
        return "apiVersion must specify API group"
    return ""
