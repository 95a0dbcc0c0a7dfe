"""Fakes for the calculator and the metrics clients: pods, given metrics, given replies."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from lockstep.wire.gotime import SECOND, rfc3339
from lockstep_reference.hpa.metrics import MetricsError, PodMetric, PodMetricsInfo
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator, Tolerances
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index
from lockstep_reference.machinery.transport import Response
from tests.reference_hpa.kit import FakeClock

Wire = dict[str, Any]
Answer = TypeVar("Answer")
JSON = {"Content-Type": "application/json"}
TOLERANCES = Tolerances(0.1, 0.1)
#: When the calculators of these tests are asked, in seconds.
NOW = 3600.0


def run(call: Coroutine[Any, Any, Answer]) -> Answer:
    return asyncio.run(call)


def seconds(value: float) -> int:
    return round(value * SECOND)


def container(name: str = "app", **requests: str) -> Wire:
    return {"name": name, "resources": {"requests": requests}} if requests else {"name": name}


def pod(
    name: str,
    *containers: Wire,
    phase: str = "Running",
    ready: str | None = "True",
    since: float = 0,
    started: float | None = 0,
    deleted: bool = False,
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Wire:
    """A pod that is `ready` (the status of its condition) `since` a moment, and `started` at one."""
    metadata: Wire = {"name": name, "namespace": "ns", "labels": {"app": "web"} if labels is None else dict(labels)}
    if deleted:
        metadata["deletionTimestamp"] = rfc3339(seconds(NOW))
    status: Wire = {"phase": phase}
    if started is not None:
        status["startTime"] = rfc3339(seconds(started))
    if ready is not None:
        moment = rfc3339(seconds(since))
        status["conditions"] = [{"type": "Ready", "status": ready, "lastTransitionTime": moment}]
    return {
        "metadata": metadata,
        "spec": {"containers": list(containers or [container(cpu="1")]), **spec},
        "status": status,
    }


def pods(count: int, *containers: Wire, **facts: Any) -> list[Wire]:
    return [pod(f"p{index}", *containers, **facts) for index in range(count)]


def metric(value: int, at: float = NOW, window: float = 60) -> PodMetric:
    return PodMetric(seconds(at), seconds(window), value)


def metrics(*values: int | None) -> PodMetricsInfo:
    """Of p0, p1 and so on; None for a pod without."""
    return {f"p{index}": metric(value) for index, value in enumerate(values) if value is not None}


class GivenMetrics:
    """A metrics client with fixed answers."""

    def __init__(
        self,
        info: PodMetricsInfo | None = None,
        value: int = 0,
        values: list[int] | None = None,
        error: str = "",
    ) -> None:
        self._info, self._value, self._values, self._error = info or {}, value, values or [], error
        self.asked: list[tuple[Any, ...]] = []

    async def get_resource_metric(self, *asked: Any) -> tuple[PodMetricsInfo, int]:
        return self._answer(asked, dict(self._info))

    async def get_raw_metric(self, *asked: Any) -> tuple[PodMetricsInfo, int]:
        return self._answer(asked, dict(self._info))

    async def get_object_metric(self, *asked: Any) -> tuple[int, int]:
        return self._answer(asked, self._value)

    async def get_external_metric(self, *asked: Any) -> tuple[list[int], int]:
        return self._answer(asked, self._values)

    def _answer(self, asked: tuple[Any, ...], answer: Answer) -> tuple[Answer, int]:
        self.asked.append(asked)
        if self._error:
            raise MetricsError(self._error)
        return answer, seconds(NOW)


def indexer(objects: list[Wire]) -> Indexer:
    found = Indexer({NAMESPACE_INDEX: namespace_index})
    for version, obj in enumerate(objects, 1):
        obj["metadata"]["resourceVersion"] = str(version)
        found.update(obj)
    return found


def calculator(
    client: GivenMetrics, objects: list[Wire] | Indexer, *, pod_level_resources: bool = True
) -> ReplicaCalculator:
    """Periods as kube-controller-manager has them: 5 minutes, and 30 seconds."""
    cache = objects if isinstance(objects, Indexer) else indexer(objects)
    return ReplicaCalculator(
        client,
        PodLister(cache),
        FakeClock(NOW),
        seconds(300),
        seconds(30),
        pod_level_resources=pod_level_resources,
    )


class GivenReplies:
    """A transport that answers by path: a body for 200, a Response, or an exception to be raised."""

    def __init__(self, replies: Mapping[str, Any]) -> None:
        self.replies = dict(replies)
        self.asked: list[tuple[str, dict[str, str]]] = []

    async def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "",
    ) -> Response:
        assert method == "GET"
        self.asked.append((path, dict(query or {})))
        await asyncio.sleep(0)
        reply = self.replies[path]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Response) else Response(200, reply, JSON)

    async def watch(self, path: str, query: Mapping[str, str]) -> Response:
        raise AssertionError("no watch is expected")
