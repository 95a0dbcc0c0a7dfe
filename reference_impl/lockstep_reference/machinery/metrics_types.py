"""The lists that the metrics APIs answer with, as Go decodes them (k8s.io/metrics pkg/apis)."""

from __future__ import annotations

from lockstep.wire.gojson import INT64, STRING, Map, Slice, Struct
from lockstep.wire.metav1 import (
    DURATION,
    LABEL_SELECTOR,
    OBJECT_META,
    OBJECT_REFERENCE,
    QUANTITY,
    STRING_MAP,
    TIME,
    list_of,
)

_USAGE = Map("v1.ResourceList", QUANTITY)
_CONTAINERS = Slice("[]v1beta1.ContainerMetrics", Struct("v1beta1.ContainerMetrics", {"name": STRING, "usage": _USAGE}))

#: metrics.k8s.io/v1beta1
POD_METRICS, POD_METRICS_LIST = list_of(
    "v1beta1",
    "PodMetrics",
    {"metadata": OBJECT_META, "timestamp": TIME, "window": DURATION, "containers": _CONTAINERS},
)
NODE_METRICS, NODE_METRICS_LIST = list_of(
    "v1beta1",
    "NodeMetrics",
    {"metadata": OBJECT_META, "timestamp": TIME, "window": DURATION, "usage": _USAGE},
)

#: custom.metrics.k8s.io
METRIC_VALUE_V1BETA1, METRIC_VALUE_LIST_V1BETA1 = list_of(
    "v1beta1",
    "MetricValue",
    {
        "describedObject": OBJECT_REFERENCE,
        "metricName": STRING,
        "timestamp": TIME,
        "window": INT64,
        "value": QUANTITY,
        "selector": LABEL_SELECTOR,
    },
)
METRIC_VALUE_V1BETA2, METRIC_VALUE_LIST_V1BETA2 = list_of(
    "v1beta2",
    "MetricValue",
    {
        "describedObject": OBJECT_REFERENCE,
        "metric": Struct("v1beta2.MetricIdentifier", {"name": STRING, "selector": LABEL_SELECTOR}),
        "timestamp": TIME,
        "windowSeconds": INT64,
        "value": QUANTITY,
    },
)

#: external.metrics.k8s.io/v1beta1
EXTERNAL_METRIC_VALUE_LIST = list_of(
    "v1beta1",
    "ExternalMetricValue",
    {"metricName": STRING, "metricLabels": STRING_MAP, "timestamp": TIME, "window": INT64, "value": QUANTITY},
)[1]
