"""The server's feature gates (pkg/features/kube_features.go, release 1.36): those that some code here uses."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULTS: Mapping[str, bool] = {"HPAConfigurableTolerance": True, "HPAScaleToZero": False}
#: The gates that set all gates of a stage (k8s.io/component-base/featuregate).
_STAGES: Mapping[str, str] = {"HPAConfigurableTolerance": "AllBeta", "HPAScaleToZero": "AllAlpha"}


def feature_gates(chosen: Mapping[str, bool]) -> dict[str, bool]:
    """The gates with their defaults, and with those set for a run; without gates that only controllers have."""
    return {name: chosen.get(name, chosen.get(_STAGES[name], default)) for name, default in DEFAULTS.items()}
