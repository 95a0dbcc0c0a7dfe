"""Worked examples: pods with an exact usage, and the result of one sync of an HPA.

Each example is a ReplicaSet with its own HPA, so that one scenario can hold a whole table. The HPAs sync once, all at
`SYNC`, when the pods have been running for 56 s and ready for 55 s. No policy limits them (`unhindered`): they set what
the replica calculator returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep import Cluster, objects
from lockstep.metrics.tables import RowLike
from lockstep.scenarios.cluster import Object
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import condition, scales, status, transitions

BOTH = ("hpa", "replicaset")
#: When the HPAs of `work_out` sync, and when the result is checked, in seconds since the scenario began.
SYNC, _LOOK = 57.0, 60.0
HALF_CPU = objects.resource_metric("cpu", utilization=50)
#: A time after the end of every scenario.
NEVER = 1e6
_COST = "controller.kubernetes.io/pod-deletion-cost"


@dataclass(frozen=True, slots=True)
class Example:
    """Pods and their usage, and the expected result: the number of replicas, and the status.

    `usage` has a row for each running pod, those that are not ready first. `shown` is `current` in the status, or one
    number of it: the utilization (int) or the average or value (text). `metric` and `pod` default to those of the
    table; a list has the spec of each pod, which are called NAME-0, NAME-1 ..., and whose rows are in that order.
    `replicas` defaults to one for each row, or for each pod listed; `maximum` is the HPA's, and so is `behavior`, which
    is `unhindered`.
    """

    usage: Sequence[RowLike]
    wanted: int
    shown: Any
    replicas: int | None = None
    metric: Object | None = None
    pod: Object | list[Object] | None = None
    lifecycle: Lifecycle | None = None
    maximum: int = 50
    behavior: Object | None = None

    @property
    def present(self) -> int:
        """The replicas before the sync."""
        if self.replicas is not None:
            return self.replicas
        return len(self.pod) if isinstance(self.pod, list) else len(self.usage)


def unhindered(*, up: str | None = None, down: str | None = None) -> Object:
    """Behavior that allows any number of replicas at once, with these tolerances."""
    return objects.behavior(
        up=objects.scaling(("Pods", 1_000_000, 15), window=0, tolerance=up),
        down=objects.scaling(("Percent", 100, 15), window=0, tolerance=down),
    )


def requesting(cpu: str | None = "1", *, name: str = "app", **others: str) -> Object:
    """A container, and what it requests."""
    requests = others if cpu is None else {"cpu": cpu, **others}
    return objects.container(name, resources={"requests": requests})


def pod_of(*containers: Object, **spec: Any) -> Object:
    """The spec of a pod; without containers, with one that requests a core."""
    return {"containers": list(containers) or [requesting()], **spec}


async def work_out(
    cluster: Cluster,
    examples: Mapping[str, Example],
    *,
    metric: Object = HALF_CPU,
    pod: Object | None = None,
) -> None:
    """Run examples and check them. `metric` names the resource, or the pods metric, of their usage."""
    await prepare(cluster, examples, metric=metric, pod=pod)
    await sync(cluster, examples, metric=metric)
    expect_all(cluster, examples)


def expect_all(cluster: Cluster, examples: Mapping[str, Example]) -> None:
    """Check the results of the examples."""
    for name, one in examples.items():
        changes = [] if one.wanted == one.present else [(SYNC, one.wanted)]
        cluster.expect(f"{name}: when it is scaled, and to what", scales(cluster, name), changes)
        cluster.expect(f"{name}: what the status shows", shown(cluster, name, one.shown), one.shown)


async def add_others(
    cluster: Cluster, examples: Mapping[str, Example], count: int, lifecycle: Lifecycle | None = None
) -> None:
    """Add pods that the selector of each example matches, but that do not belong to the target: NAME-other-0 ..."""
    owner = cluster.find("deployments", "other") or await cluster.create(objects.deployment("other"))
    async with cluster.batch():
        for name in examples:
            labels = {"app": name, "other": ""}
            cluster.kubelet.lifecycles.for_labels(labels, lifecycle or Lifecycle())
            for number in range(count):
                spec = pod_of(restartPolicy="Never")
                await cluster.create(objects.pod(f"{name}-other-{number}", labels, owner=owner, **spec))


async def prepare(
    cluster: Cluster,
    examples: Mapping[str, Example],
    *,
    metric: Object = HALF_CPU,
    pod: Object | None = None,
) -> None:
    """The first half of `work_out`: the pods and their usage, up to the creation of the HPAs."""
    async with cluster.batch():
        for name, one in examples.items():
            if one.lifecycle is not None:
                cluster.kubelet.lifecycles.for_owner(name, one.lifecycle)
            if one.usage:
                cluster.metrics.exact(name, one.usage, **_about(one.metric or metric))
            for number, spec in enumerate(one.pod if isinstance(one.pod, list) else ()):
                metadata = {"annotations": {_COST: str(number)}}  # all of them differ for a ReplicaSet
                labels = objects.labels_of(name)
                await cluster.create(objects.pod(f"{name}-{number}", labels, metadata=metadata, **spec))
    async with cluster.batch():
        for name, one in examples.items():
            spec = one.pod if isinstance(one.pod, dict) else pod or pod_of()
            template = objects.pod_template(objects.labels_of(name), **spec)
            await cluster.create(objects.replica_set(name, one.present, template=template))
    await cluster.run_until(SYNC - 15)


def _about(metric: Object) -> dict[str, Any]:
    """The arguments of `Metrics.exact` for a table of exact numbers."""
    if metric["type"] == "Pods":
        return {"metric": metric["pods"]["metric"]["name"]}
    return {"resource": metric["resource" if metric["type"] == "Resource" else "containerResource"]["name"]}


async def sync(cluster: Cluster, examples: Mapping[str, Example], *, metric: Object = HALF_CPU) -> None:
    """The second half of `work_out`: the HPAs, and their first sync."""
    async with cluster.batch():
        for name, one in examples.items():
            metrics = [one.metric or metric]
            behavior = one.behavior or unhindered()
            await cluster.create(objects.hpa(name, max_replicas=one.maximum, metrics=metrics, behavior=behavior))
    await cluster.run_until(_LOOK)


def shown(cluster: Cluster, name: str = "web", like: Any = None) -> Any:
    """The first metric in an HPA's status: `current`, or its number of the same kind as `like`."""
    metrics = status(cluster, name).get("currentMetrics")
    if not metrics or not metrics[0]["type"]:
        return None
    current = next(part for field, part in metrics[0].items() if field != "type")["current"]
    if isinstance(like, int):
        return current.get("averageUtilization")
    if isinstance(like, str):
        return current.get("averageValue", current.get("value"))
    return current


def expect_unable(cluster: Cluster, reason: str, error: str, name: str = "web") -> None:
    """Expect that the HPA, from its first sync on, reports that it cannot scale, and does not change the target."""
    wanted = ("False", reason, f"the HPA was unable to compute the replica count: {error}")
    cluster.expect(f"{name}: condition ScalingActive", condition(cluster, "ScalingActive", name), wanted)
    since = transitions(cluster, "ScalingActive", name)
    cluster.expect(f"{name}: since when", since, [(SYNC, f"False {reason}")])
    cluster.expect(f"{name}: when it is scaled, and to what", scales(cluster, name), [])
