"""Feature gates (pkg/features): all of them are alpha in 1.7, and off."""

from __future__ import annotations

from collections.abc import Mapping

CPU_STARTUP_BOOST = "CPUStartupBoost"
IN_PLACE = "InPlace"
PER_VPA_CONFIG = "PerVPAConfig"

#: The gate that sets all alpha gates that are not set themselves (k8s.io/component-base/featuregate).
_ALL_ALPHA = "AllAlpha"


def enabled(gate: str, feature_gates: Mapping[str, bool]) -> bool:
    """Whether the gate is on, with these settings (Enabled)."""
    return feature_gates.get(gate, feature_gates.get(_ALL_ALPHA, False))
