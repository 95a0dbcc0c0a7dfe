"""The resource consumer of upstream's e2e tests: a workload with a configurable usage of CPU and memory.

The usage is divided by the ready pods, none of which uses more CPU than it requests (requests equal limits there). It
is distributed in rounds of 30 s, so a new usage may take that long. Upstream waits up to 15 minutes for replicas,
checking every 20 s. Here the same checks run after each change, and the instants at which the HPA scales are exact.
Pods are ready after 2 s; where upstream's pods take long enough for the load to settle, scenarios wait for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from lockstep import Cluster, objects
from lockstep.metrics import shared, steps
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import BOTH
from lockstep_conformance.hpa.steps import scales

__all__ = ["BOTH", "E2E", "E2E_BEHAVIOR", "MEGABYTE", "Consumer", "started", "usage_for"]

E2E = "test/e2e/autoscaling/horizontal_pod_autoscaling.go"
E2E_BEHAVIOR = "test/e2e/autoscaling/horizontal_pod_autoscaling_behavior.go"
MEGABYTE = 1024 * 1024
#: The longest time, in seconds, that the tests wait for replicas.
QUARTER_OF_AN_HOUR = 900.0
_ROUND = 30.0  # dynamicConsumptionTimeInSeconds
_RESOURCES = {"Deployment": "deployments.apps", "ReplicaSet": "replicasets.apps", "StatefulSet": "statefulsets.apps"}

_MAKERS: dict[str, Callable[..., Object]] = {
    "Deployment": objects.deployment,
    "ReplicaSet": objects.replica_set,
    "StatefulSet": objects.stateful_set,
}


class Consumer:
    """A workload called `web`, of one of the kinds that upstream tests, and its HPA."""

    def __init__(self, cluster: Cluster, kind: str = "Deployment") -> None:
        self._cluster = cluster
        self._kind = kind
        self._loads: dict[str, Any] = {}
        self._plans: dict[str, dict[float, float]] = {}  # (second, amount from then on)
        self._began = 0.0
        self._most: str | None = None
        self.resource = _RESOURCES[kind]

    async def start(
        self, replicas: int, *, cpu: int = 500, memory: int = 500, sidecar: bool = False, pod: Object | None = None
    ) -> None:
        """Create it and wait until all pods are ready. Each container requests millicores and megabytes.

        0 means no request; `sidecar` adds a container of that name; `pod` has the pod-level requests.
        """
        asked = {"cpu": f"{cpu}m" if cpu else "", "memory": f"{memory}Mi" if memory else ""}
        requests = {name: amount for name, amount in asked.items() if amount}
        names = ["consumer", "sidecar"] if sidecar else ["consumer"]
        containers = [objects.container(name, resources={"requests": requests, "limits": requests}) for name in names]
        spec = {"containers": containers} if pod is None else {"containers": containers, "resources": pod}
        template = objects.pod_template(objects.labels_of("web"), **spec)
        if self._kind != "ReplicaSet":
            self._cluster.owners.manage(self.resource)
        await self._cluster.create(_MAKERS[self._kind]("web", replicas, template=template))
        await self.wait_for(replicas, within=120)
        self._began = self._cluster.now
        self._most = requests.get("cpu") or (pod or {}).get("limits", {}).get("cpu")

    def consume_cpu(self, millicores: int, container: str = "consumer") -> None:
        """Set the CPU that all pods use together, from the next round on."""
        self._plan("cpu", millicores / 1000)
        self._replace("cpu", cpu=shared(steps(*self._plans["cpu"].items()), at_most=self._most), container=container)

    def consume_memory(self, megabytes: int) -> None:
        """Set the memory that all pods use together, from the next round on."""
        self._plan("memory", megabytes * MEGABYTE)
        self._replace("memory", memory=shared(steps(*self._plans["memory"].items())), container="consumer")

    def _plan(self, what: str, amount: float) -> None:
        rounds = math.ceil((self._cluster.now - self._began) / _ROUND)
        self._plans.setdefault(what, {})[self._began + rounds * _ROUND] = amount

    def _replace(self, what: str, **load: Any) -> None:
        if what in self._loads:
            self._loads[what].stop()
        self._loads[what] = self._cluster.metrics.load("web", **load)

    async def autoscale(self, metric: Object, low: int, high: int, behavior: Object | None = None) -> None:
        """Create the HPA."""
        target = objects.reference(self._kind, "web")
        hpa = objects.hpa(
            "web", target=target, min_replicas=low, max_replicas=high, metrics=[metric], behavior=behavior
        )
        await self._cluster.create(hpa)

    def ready(self) -> int:
        """The ready replicas in the workload's status."""
        return int(self._cluster.status("web", self.resource).get("readyReplicas") or 0)

    async def wait_for(self, replicas: int, within: float = QUARTER_OF_AN_HOUR) -> None:
        """Expect this many ready replicas within this many seconds (WaitForReplicas)."""
        await self._cluster.eventually(f"{replicas} ready replicas", lambda: self.ready() == replicas, within)

    async def stay(self, low: int, high: int, during: float) -> None:
        """Expect ready replicas to stay in this range for this many seconds (EnsureDesiredReplicasInRange)."""
        outside = f"other than {low} to {high} ready replicas"
        await self._cluster.never(outside, lambda: not low <= self.ready() <= high, during)

    def expect_scales(self, wanted: Sequence[tuple[float, int]]) -> None:
        """Expect that the HPA scaled at exactly these seconds, to these sizes."""
        self._cluster.expect("scales", scales(self._cluster, resource=self.resource), list(wanted))


def usage_for(replicas: int) -> int:
    """Millicores that make the HPA recommend this many replicas (usageForReplicas)."""
    return replicas * 125 - 125 // 2


async def started(cluster: Cluster, replicas: int, high: int, behavior: Object, low: int = 1) -> Consumer:
    """A Deployment whose usage meets the target exactly, and its HPA, which has settled for a minute."""
    consumer = Consumer(cluster)
    await consumer.start(replicas, memory=200)
    consumer.consume_cpu(usage_for(replicas))
    await consumer.autoscale(objects.resource_metric("cpu", utilization=25), low, high, behavior)
    await consumer.stay(replicas, replicas, 60)
    return consumer
