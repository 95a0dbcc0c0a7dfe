"""Fakes for the parts of the HPA controller: each answers as a test sets it, and records its calls."""

from __future__ import annotations

import asyncio
from typing import Any

from lockstep.wire.gotime import SECOND
from lockstep.wire.selector_parser import parse
from lockstep_reference.hpa.replica_calculator import ResourceReplicas, Tolerances, UsageReplicas
from lockstep_reference.hpa.sources import Question
from lockstep_reference.machinery.scale import Scale

Wire = dict[str, Any]
START = "2000-01-01T00:00:00Z"


class FakeClock:
    """Stands still until a test moves it."""

    def __init__(self, seconds: float = 0) -> None:
        self.seconds = seconds

    def now(self) -> int:
        return round(self.seconds * SECOND)


class FakeRecorder:
    """Keeps events: (type, reason, message)."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, str]] = []

    def event(self, obj: Wire, event_type: str, reason: str, message: str) -> None:
        assert (obj["kind"], obj["apiVersion"]) == ("HorizontalPodAutoscaler", "autoscaling/v2")
        self.events.append((event_type, reason, message))


class FakeCalculator:
    """Answers every question with what stands in `answers` under the metric's name, or raises it."""

    def __init__(self, **answers: tuple[int, ...] | Exception) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, method: str) -> Any:
        async def ask(*arguments: Any) -> Any:
            self.asked.append((method, arguments))
            await asyncio.sleep(0)
            answer = self.answers[arguments[2]]
            if isinstance(answer, Exception):
                raise answer
            made: type[Any] = ResourceReplicas if method == "get_resource_replicas" else UsageReplicas
            return made(*answer, 0)

        return ask


def question(spec_replicas: int = 3, status_replicas: int = 3, selector: str = "app=web") -> Question:
    return Question(spec_replicas, status_replicas, Tolerances(0.1, 0.1), "default", parse(selector))


def scale(replicas: int = 3, status_replicas: int = 3, selector: str = "app=web") -> Scale:
    metadata = {"name": "web", "namespace": "default", "resourceVersion": "7"}
    return Scale(metadata, replicas, status_replicas, selector)


def resource(name: str = "cpu", **target: Any) -> Wire:
    kind = "Utilization" if "averageUtilization" in target else "AverageValue"
    return {"type": "Resource", "resource": {"name": name, "target": {"type": kind, **target}}}


def container(name: str = "cpu", in_container: str = "app", **target: Any) -> Wire:
    source = {"name": name, "container": in_container, "target": {"type": "Utilization", **target}}
    return {"type": "ContainerResource", "containerResource": source}


def pods_metric(name: str = "hits", average: str = "10", selector: Wire | None = None) -> Wire:
    source = {"metric": metric(name, selector), "target": {"type": "AverageValue", "averageValue": average}}
    return {"type": "Pods", "pods": source}


def object_metric(name: str = "hits", selector: Wire | None = None, **target: Any) -> Wire:
    kind = "Value" if "value" in target else "AverageValue"
    described = {"kind": "Service", "name": "front", "apiVersion": "v1"}
    source = {"describedObject": described, "metric": metric(name, selector), "target": {"type": kind, **target}}
    return {"type": "Object", "object": source}


def external(name: str = "queue", selector: Wire | None = None, **target: Any) -> Wire:
    kind = "Value" if "value" in target else "AverageValue"
    return {"type": "External", "external": {"metric": metric(name, selector), "target": {"type": kind, **target}}}


def metric(name: str, selector: Wire | None) -> Wire:
    return {"name": name} if selector is None else {"name": name, "selector": selector}


def hpa(*metrics: Wire, status: Wire | None = None, target: Wire | None = None, **spec: Any) -> Wire:
    """An HPA as the server serves it; `spec` fields are those of the API."""
    return {
        "kind": "HorizontalPodAutoscaler",
        "apiVersion": "autoscaling/v2",
        "metadata": {"name": "web", "namespace": "default", "uid": "hpa-1", "resourceVersion": "3"},
        "spec": {
            "scaleTargetRef": target or {"kind": "ReplicaSet", "name": "web", "apiVersion": "apps/v1"},
            "minReplicas": 1,
            "maxReplicas": 10,
            "metrics": list(metrics or [resource(averageUtilization=50)]),
            **spec,
        },
        "status": status if status is not None else {"desiredReplicas": 0, "currentMetrics": None},
    }
