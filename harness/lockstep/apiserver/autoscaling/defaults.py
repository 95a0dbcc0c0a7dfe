"""Defaults of autoscaling/v2 (pkg/apis/autoscaling/v2/defaults.go) and v1 (pkg/apis/autoscaling/v1/defaults.go)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.autoscaling.conversion import DEFAULT_CPU_UTILIZATION, cpu_utilization

Object = dict[str, Any]

_PERIOD = 15
_SCALE_UP: Object = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": _PERIOD},
        {"type": "Percent", "value": 100, "periodSeconds": _PERIOD},
    ],
}
#: The window of scaling down stays open: the controller has a flag for it.
_SCALE_DOWN: Object = {
    "selectPolicy": "Max",
    "policies": [{"type": "Percent", "value": 100, "periodSeconds": _PERIOD}],
}


def default_v1(spec: Object) -> Object:
    """SetDefaults_HorizontalPodAutoscaler of v1; the default metric comes with the conversion."""
    return {"minReplicas": 1, **spec}


def default_v2(spec: Object) -> Object:
    """SetDefaults_HorizontalPodAutoscaler of v2. An empty list of policies is not replaced, a missing one is."""
    spec = {"minReplicas": 1, **spec}
    if not spec.get("metrics"):
        spec["metrics"] = [cpu_utilization(DEFAULT_CPU_UTILIZATION)]
    behavior = spec.get("behavior")
    if behavior is not None:
        spec["behavior"] = {
            "scaleUp": {**_SCALE_UP, **behavior.get("scaleUp", {})},
            "scaleDown": {**_SCALE_DOWN, **behavior.get("scaleDown", {})},
        }
    return spec
