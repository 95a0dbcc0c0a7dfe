"""Metric specs of an HPA, each as something that can be asked for a number of replicas.

Source: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetric and the computeStatusFor... functions. What
does not change from one sync to the next (texts, targets, selectors) is worked out once, when a source is made.
"""

from __future__ import annotations

from lockstep.wire.gotext import quote
from lockstep.wire.selectors import InvalidSelector, selector_from
from lockstep_reference.hpa.sources.base import (
    FailingSource,
    MetricFailure,
    MetricSource,
    Proposal,
    Question,
    Wire,
)
from lockstep_reference.hpa.sources.custom import ObjectSource, PodsSource
from lockstep_reference.hpa.sources.external import ExternalSource
from lockstep_reference.hpa.sources.resource import ContainerResourceSource, ResourceSource

__all__ = ["MetricFailure", "MetricSource", "Proposal", "Question", "metric_source"]


def metric_source(spec: Wire) -> MetricSource:
    """The source that a MetricSpec describes; one that makes no sense fails whenever it is asked."""
    kind = spec.get("type") or ""
    if kind == "Resource":
        return ResourceSource(spec["resource"])
    if kind == "ContainerResource":
        return ContainerResourceSource(spec["containerResource"])
    if kind == "External":
        return ExternalSource(spec["external"])
    if kind not in ("Object", "Pods"):
        error = f"unknown metric source type {quote(kind)}"
        return FailingSource("InvalidMetricSourceType", error, error)
    source = spec[kind.lower()]
    try:
        selector = selector_from(source["metric"].get("selector"))
    except InvalidSelector as error:
        text = f"failed to get {kind.lower()} metric value: {error}"
        return FailingSource(f"FailedGet{kind}Metric", str(error), text)
    return PodsSource(source, selector) if kind == "Pods" else ObjectSource(source, selector)
