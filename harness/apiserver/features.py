"""The server's feature gates (pkg/features/kube_features.go, release 1.36): those that something here asks for."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULTS: Mapping[str, bool] = {"HPAConfigurableTolerance": True, "HPAScaleToZero": False}


def feature_gates(chosen: Mapping[str, bool]) -> dict[str, bool]:
    """The gates with their defaults, and with what was chosen for a run; gates that only controllers have are none."""
    return {name: chosen.get(name, default) for name, default in DEFAULTS.items()}
