"""Metric sources: each metric spec of an HPA as an object that computes a number of replicas.

Source: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetric and the computeStatusFor... functions. What
does not change from one sync to the next (texts, targets, selectors) is computed once, when a source is made.
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
    """The source for a MetricSpec; for an invalid spec, one that always fails."""
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
