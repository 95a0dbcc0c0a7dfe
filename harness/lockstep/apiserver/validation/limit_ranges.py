"""Validation of LimitRanges (pkg/apis/core/validation/validation.go: ValidateLimitRange)."""

from __future__ import annotations

from typing import Any

from lockstep.wire import names
from lockstep.wire.field import FieldError, duplicate, forbidden_value, invalid_value
from lockstep.wire.quantity import DECIMAL_SI, Quantity, read_quantity

Findings = list[FieldError]
_ONE = Quantity(1, 0, DECIMAL_SI)
_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_GROUPS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
#: Pairs of groups of which the first must not exceed the second: the group whose field is named, the group whose
#: value is shown, and the names of both in the message.
_ORDERS = (
    ("min", "max", "min", "min", "min value", "max value"),
    ("min", "defaultRequest", "defaultRequest", "defaultRequest", "min value", "default request value"),
    ("defaultRequest", "max", "defaultRequest", "defaultRequest", "default request value", "max value"),
    ("defaultRequest", "default", "defaultRequest", "defaultRequest", "default request value", "default limit value"),
    ("min", "default", "default", "min", "min value", "default value"),
    ("default", "max", "default", "max", "default value", "max value"),
)


def limit_range_findings(spec: dict[str, Any]) -> Findings:
    """What is wrong with the items; names of resources are not checked."""
    found: Findings = []
    seen: set[str] = set()
    for index, item in enumerate(spec.get("limits") or ()):
        path, kind = f"spec.limits[{index}]", item.get("type", "")
        malformed = names.qualified_name(kind)
        found.extend(invalid_value(f"{path}.type", kind, why) for why in malformed)
        if not malformed and "/" not in kind and kind not in _TYPES:
            why = "must be a standard limit type or fully qualified"
            found.append(invalid_value(f"{path}.type", kind, why))
        if kind in seen:
            found.append(duplicate(f"{path}.type", kind))
        seen.add(kind)
        unreadable = _unreadable(item, path)
        found += unreadable or _item_findings(item, kind, path)
    return found


def _unreadable(item: dict[str, Any], path: str) -> Findings:
    """Invalid quantities; a real server cannot decode them."""
    found: Findings = []
    for group in _GROUPS:
        for name, amount in (item.get(group) or {}).items():
            try:
                read_quantity(amount)
            except ValueError as problem:
                found.append(invalid_value(f"{path}.{group}[{name}]", amount, str(problem)))
    return found


def _item_findings(item: dict[str, Any], kind: str, path: str) -> Findings:
    groups = {group: item.get(group) or {} for group in _GROUPS}
    found: Findings = []
    if kind == "Pod":
        for group in ("default", "defaultRequest"):
            if groups[group]:
                found.append(forbidden_value(f"{path}.{group}", "may not be specified when `type` is 'Pod'"))
                groups[group] = {}
    for name in dict.fromkeys(name for group in groups.values() for name in group):
        amounts = {group: values[name] for group, values in groups.items() if name in values}
        found += _order_findings(amounts, name, path) + _ratio_findings(amounts, name, path)
    return found


def _order_findings(amounts: dict[str, Any], name: str, path: str) -> Findings:
    found: Findings = []
    for low, high, named, shown, low_words, high_words in _ORDERS:
        if low in amounts and high in amounts and read_quantity(amounts[low]).compare(read_quantity(amounts[high])) > 0:
            why = f"{low_words} {amounts[low]} is greater than {high_words} {amounts[high]}"
            found.append(invalid_value(f"{path}.{named}[{name}]", amounts[shown], why))
    return found


def _ratio_findings(amounts: dict[str, Any], name: str, path: str) -> Findings:
    if "maxLimitRequestRatio" not in amounts:
        return []
    ratio, field = amounts["maxLimitRequestRatio"], f"{path}.maxLimitRequestRatio[{name}]"
    found: Findings = []
    if read_quantity(ratio).compare(_ONE) < 0:
        found.append(invalid_value(field, ratio, f"ratio {ratio} is less than 1"))
    if "min" in amounts and "max" in amounts:
        least, most = (read_quantity(amounts[group]).milli_value() for group in ("min", "max"))
        bound = most / least if least else float("inf")
        if read_quantity(ratio).milli_value() / 1000 > bound:
            found.append(invalid_value(field, ratio, f"ratio {ratio} is greater than max/min = {bound:f}"))
    return found
