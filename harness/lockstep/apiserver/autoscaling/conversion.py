"""autoscaling/v1 to and from the form of v2 (pkg/apis/autoscaling/v1/conversion.go, annotations.go, helpers.go).

The internal version of upstream has the structure of v2, so its objects are v2's here. Values without a field in v1 are
kept in four annotations. Arguments are decoded values (`gotypes`), or objects as the store keeps them; none is changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from lockstep.apiserver.autoscaling import metrics_v1, types_v1
from lockstep.apiserver.gotypes import Slice, Struct, Type

Object = dict[str, Any]

METRICS = "autoscaling.alpha.kubernetes.io/metrics"
CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics"
CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions"
BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior"
_SCALE_DOWN_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-down-tolerance"
_SCALE_UP_TOLERANCE = "autoscaling.alpha.kubernetes.io/scale-up-tolerance"
_ROUND_TRIP = frozenset({METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR, _SCALE_DOWN_TOLERANCE, _SCALE_UP_TOLERANCE})
#: Percent of the cpu request that is the target of an autoscaler without any metric (DefaultCPUUtilization).
DEFAULT_CPU_UTILIZATION = 80
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
_NO_ANNOTATIONS: Mapping[str, str] = {}


def drop_round_trip_annotations(metadata: Object) -> None:
    """Remove the annotations that only v1 uses (DropRoundTripHorizontalPodAutoscalerAnnotations)."""
    annotations = metadata.get("annotations")
    if annotations and not _ROUND_TRIP.isdisjoint(annotations):
        kept = {key: value for key, value in annotations.items() if key not in _ROUND_TRIP}
        if kept:
            metadata["annotations"] = kept
        else:
            del metadata["annotations"]


def cpu_utilization(percent: int) -> Object:
    """The metric that v1 has a field for."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


# -- v1 to v2 ---------------------------------------------------------------------------------------------------------


def spec_from_v1(sent: Object, annotations: Mapping[str, str] | None) -> Object:
    """The spec, with the metrics and the behaviour from the annotations. An unreadable annotation counts as absent."""
    annotations = annotations or _NO_ANNOTATIONS
    spec = {key: item for key, item in sent.items() if key != "targetCPUUtilizationPercentage"}
    percent = sent.get("targetCPUUtilizationPercentage")
    metrics = [] if percent is None else [cpu_utilization(percent)]
    others = _read(annotations.get(METRICS), types_v1.METRIC_SPECS)
    if others is not None:
        metrics = [metrics_v1.spec_from_v1(one) for one in others] + metrics
    spec["metrics"] = metrics or [cpu_utilization(DEFAULT_CPU_UTILIZATION)]
    behavior = _read(annotations.get(BEHAVIOR), types_v1.INTERNAL_BEHAVIOR)
    if behavior:
        spec["behavior"] = _uncapitalised(behavior)
    return spec


def status_from_v1(sent: Object, annotations: Mapping[str, str] | None) -> Object:
    """The status, with the metrics and the conditions of the annotations."""
    annotations = annotations or _NO_ANNOTATIONS
    status = {key: item for key, item in sent.items() if key != "currentCPUUtilizationPercentage"}
    percent = sent.get("currentCPUUtilizationPercentage")
    if percent is not None:
        current = {"name": "cpu", "current": {"averageUtilization": percent}}
        status["currentMetrics"] = [{"type": "Resource", "resource": current}]
    metrics = _read(annotations.get(CURRENT_METRICS), types_v1.METRIC_STATUSES)
    if metrics is not None:
        status["currentMetrics"] = [metrics_v1.status_from_v1(one) for one in metrics]
    conditions = _read(annotations.get(CONDITIONS), types_v1.CONDITIONS)
    if conditions is not None:
        status["conditions"] = conditions
    return status


def _read(text: str | None, form: Type) -> Any:
    """The value in an annotation, or None (json.Unmarshal, which ignores the case of names)."""
    if text is None:
        return None
    try:
        sent = _folded(orjson.loads(text), form)
        if sent is None:
            return [] if isinstance(form, Slice) else {}
        taken = form.take(sent)
    except ValueError:
        return None
    return [one or {} for one in taken] if isinstance(form, Slice) else taken


def _folded(sent: Any, form: Type) -> Any:
    if isinstance(form, Struct) and isinstance(sent, dict):
        names = {name.lower(): name for name in form.fields}
        known = ((names.get(key.lower()), item) for key, item in sent.items())
        return {name: _folded(item, form.fields[name].type) for name, item in known if name is not None}
    if isinstance(form, Slice) and isinstance(sent, list):
        return [_folded(one, form.item) for one in sent]
    return sent


# -- v2 to v1 ---------------------------------------------------------------------------------------------------------


def to_v1(stored: Object) -> Object:
    """An object of the store as version v1 shows it."""
    metadata, spec, status = dict(stored["metadata"]), stored["spec"], stored["status"]
    drop_round_trip_annotations(metadata)
    added = _annotations(spec, status)
    if added:
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **added}
    body = {"spec": _spec_to_v1(spec), "status": _status_to_v1(status)}
    return {"apiVersion": "autoscaling/v1", "kind": stored["kind"], "metadata": metadata, **types_v1.OBJECT.emit(body)}


def _annotations(spec: Object, status: Object) -> dict[str, str]:
    added = {}
    others = [metrics_v1.spec_to_v1(one) for one in spec.get("metrics") or () if not _is_cpu_utilization(one)]
    if others:
        added[METRICS] = _written(types_v1.METRIC_SPECS.emit(others))
    current = [metrics_v1.status_to_v1(one) for one in status.get("currentMetrics") or ()]
    if current:
        added[CURRENT_METRICS] = _written(types_v1.METRIC_STATUSES.emit(current))
    behavior = spec.get("behavior")
    if behavior is not None:
        added[BEHAVIOR] = _written(types_v1.INTERNAL_BEHAVIOR.emit(_capitalised(behavior)))
    if status.get("conditions"):
        added[CONDITIONS] = _written(types_v1.CONDITIONS.emit(status["conditions"]))
    return added


def _is_cpu_utilization(metric: Object) -> bool:
    resource = metric.get("resource") or {}
    target = resource.get("target") or {}
    return metric["type"] == "Resource" and resource.get("name") == "cpu" and "averageUtilization" in target


def _spec_to_v1(spec: Object) -> Object:
    cpu = next((one for one in spec.get("metrics") or () if _is_cpu_utilization(one)), None)
    if cpu is None:
        return spec
    return {**spec, "targetCPUUtilizationPercentage": cpu["resource"]["target"]["averageUtilization"]}


def _status_to_v1(status: Object) -> Object:
    percent = None
    for metric in status.get("currentMetrics") or ():
        resource = metric.get("resource") or {}
        if metric["type"] == "Resource" and resource.get("name") == "cpu":
            percent = resource["current"].get("averageUtilization", percent)
    return {**status, "currentCPUUtilizationPercentage": percent}


def _capitalised(value: Any) -> Any:
    """With the names of Go fields, which the internal types show in JSON."""
    if isinstance(value, dict):
        return {key[0].upper() + key[1:]: _capitalised(item) for key, item in value.items()}
    return [_capitalised(one) for one in value] if isinstance(value, list) else value


def _uncapitalised(value: Any) -> Any:
    if isinstance(value, dict):
        return {key[0].lower() + key[1:]: _uncapitalised(item) for key, item in value.items()}
    return [_uncapitalised(one) for one in value] if isinstance(value, list) else value


def _written(value: Any) -> str:
    """JSON as Go's encoding/json writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)
