"""status.qosClass of pods (pkg/apis/core/helper/qos/qos.go: ComputePodQOS)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lockstep.wire.quantity import read_quantity

_COUNTED = ("cpu", "memory")


def compute_quality(spec: dict[str, Any]) -> str:
    """Guaranteed, Burstable or BestEffort, from the requests and limits of the containers, or of the pod as a whole."""
    asking = [*spec.get("containers", ()), *spec.get("initContainers", ())]
    if any((spec.get("resources") or {}).values()):
        asking = [spec]
    requests: dict[str, Fraction] = {}
    limits: dict[str, Fraction] = {}
    limited = True
    for one in asking:
        resources = one.get("resources") or {}
        _add(requests, resources.get("requests") or {})
        limited &= _add(limits, resources.get("limits") or {}) == len(_COUNTED)
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if limited and requests == limits else "Burstable"


def _add(total: dict[str, Fraction], amounts: dict[str, Any]) -> int:
    """Add CPU and memory, except for zeros. Returns how many were added."""
    counted = 0
    for name in _COUNTED:
        amount = _amount(amounts.get(name, 0))
        if amount > 0:
            counted += 1
            total[name] = total.get(name, Fraction(0)) + amount
    return counted


def _amount(text: Any) -> Fraction:
    try:
        return read_quantity(text).exact()
    except ValueError:  # validation reports it
        return Fraction(0)
