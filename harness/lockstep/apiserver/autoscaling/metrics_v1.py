"""Metric sources and metric statuses between autoscaling/v1, which keeps them in annotations, and v2.

The Convert_*MetricSource* and Convert_*MetricStatus* functions of pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.wire.quantity import read_quantity

Object = dict[str, Any]
Convert = Callable[[Object], Object]


def _part(**items: Any) -> Object:
    """A struct without the pointers that are nil."""
    return {key: item for key, item in items.items() if item is not None}


def _identifier(source: Object, selector: str = "selector") -> Object:
    return _part(name=source.get("metricName", ""), selector=source.get(selector))


def _target(kind: str, **items: Any) -> Object:
    return {"type": kind, **_part(**items)}


# -- sources, v1 to v2 ------------------------------------------------------------------------------------------------


def _object_source(source: Object) -> Object:
    value, average = source.get("targetValue", "0"), source.get("averageValue")
    if average is None:
        target = _target("Value", value=value)
    else:  # v1 cannot omit the value, so a zero beside an average means that there is none
        target = _target("AverageValue", value=value if read_quantity(value).sign else None, averageValue=average)
    return {"describedObject": source.get("target", {}), "metric": _identifier(source), "target": target}


def _pods_source(source: Object) -> Object:
    target = _target("AverageValue", averageValue=source.get("targetAverageValue", "0"))
    return {"metric": _identifier(source), "target": target}


def _resource_source(source: Object) -> Object:
    percent, value = source.get("targetAverageUtilization"), source.get("targetAverageValue")
    kind = "AverageValue" if percent is None else "Utilization"
    target = _target(kind, averageValue=value, averageUtilization=percent)
    return _part(name=source.get("name", ""), container=source.get("container"), target=target)


def _external_source(source: Object) -> Object:
    value, average = source.get("targetValue"), source.get("targetAverageValue")
    target = _target("AverageValue" if value is None else "Value", value=value, averageValue=average)
    return {"metric": _identifier(source, "metricSelector"), "target": target}


# -- sources, v2 to v1 ------------------------------------------------------------------------------------------------


def _object_source_to_v1(source: Object) -> Object:
    metric, target = source["metric"], source["target"]
    return _part(
        target=source["describedObject"],
        metricName=metric["name"],
        selector=metric.get("selector"),
        targetValue=target.get("value"),
        averageValue=target.get("averageValue"),
    )


def _pods_source_to_v1(source: Object) -> Object:
    metric, average = source["metric"], source["target"].get("averageValue")
    return _part(metricName=metric["name"], selector=metric.get("selector"), targetAverageValue=average)


def _resource_source_to_v1(source: Object) -> Object:
    target = source["target"]
    return _part(
        name=source["name"],
        container=source.get("container"),
        targetAverageUtilization=target.get("averageUtilization"),
        targetAverageValue=target.get("averageValue"),
    )


def _external_source_to_v1(source: Object) -> Object:
    metric, target = source["metric"], source["target"]
    return _part(
        metricName=metric["name"],
        metricSelector=metric.get("selector"),
        targetValue=target.get("value"),
        targetAverageValue=target.get("averageValue"),
    )


# -- statuses ---------------------------------------------------------------------------------------------------------


def _object_status(status: Object) -> Object:
    current = _part(value=status.get("currentValue", "0"), averageValue=status.get("averageValue"))
    return {"describedObject": status.get("target", {}), "metric": _identifier(status), "current": current}


def _pods_status(status: Object) -> Object:
    return {"metric": _identifier(status), "current": {"averageValue": status.get("currentAverageValue", "0")}}


def _resource_status(status: Object) -> Object:
    average, percent = status.get("currentAverageValue", "0"), status.get("currentAverageUtilization")
    current = _part(averageValue=average, averageUtilization=percent)
    return _part(name=status.get("name", ""), container=status.get("container"), current=current)


def _external_status(status: Object) -> Object:
    current = _part(value=status.get("currentValue", "0"), averageValue=status.get("currentAverageValue"))
    return {"metric": _identifier(status, "metricSelector"), "current": current}


def _object_status_to_v1(status: Object) -> Object:
    metric, current = status["metric"], status["current"]
    return _part(
        target=status["describedObject"],
        metricName=metric["name"],
        selector=metric.get("selector"),
        currentValue=current.get("value"),
        averageValue=current.get("averageValue"),
    )


def _pods_status_to_v1(status: Object) -> Object:
    metric, average = status["metric"], status["current"].get("averageValue")
    return _part(metricName=metric["name"], selector=metric.get("selector"), currentAverageValue=average)


def _resource_status_to_v1(status: Object) -> Object:
    current = status["current"]
    return _part(
        name=status["name"],
        container=status.get("container"),
        currentAverageUtilization=current.get("averageUtilization"),
        currentAverageValue=current.get("averageValue"),
    )


def _external_status_to_v1(status: Object) -> Object:
    metric, current = status["metric"], status["current"]
    return _part(
        metricName=metric["name"],
        metricSelector=metric.get("selector"),
        currentValue=current.get("value"),
        currentAverageValue=current.get("averageValue"),
    )


def _converter(**parts: Convert) -> Convert:
    """Convert a MetricSpec or MetricStatus: its type, and each source that it has."""
    parts["containerResource"] = parts["resource"]

    def convert(metric: Object) -> Object:
        found = {name: convert(metric[name]) for name, convert in parts.items() if metric.get(name) is not None}
        return {"type": metric.get("type", ""), **found}

    return convert


#: MetricSpec and MetricStatus, each way.
spec_from_v1 = _converter(
    object=_object_source, pods=_pods_source, resource=_resource_source, external=_external_source
)
spec_to_v1 = _converter(
    object=_object_source_to_v1,
    pods=_pods_source_to_v1,
    resource=_resource_source_to_v1,
    external=_external_source_to_v1,
)
status_from_v1 = _converter(
    object=_object_status, pods=_pods_status, resource=_resource_status, external=_external_status
)
status_to_v1 = _converter(
    object=_object_status_to_v1,
    pods=_pods_status_to_v1,
    resource=_resource_status_to_v1,
    external=_external_status_to_v1,
)
