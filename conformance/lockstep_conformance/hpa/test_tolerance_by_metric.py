"""Tolerance is the same for each type of metric and of target."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Options, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.tables import BOTH, Example, unhindered, work_out

_OF_HPA = "pkg/controller/podautoscaler/horizontal.go: tolerancesForHpa"


def _of_every_type(cluster: Cluster, value: int, wanted: int, behavior: Object | None = None) -> dict[str, Example]:
    """Three replicas, and a metric of each type that says 1 % of `value` times the target."""

    def of_service(name: str, amount: str, **target: Any) -> Object:
        cluster.metrics.object("requests", "services", name, amount)
        return objects.object_metric("requests", objects.reference("Service", name, "v1"), **target)

    def of_queue(name: str, amount: str, **target: Any) -> Object:
        cluster.metrics.external("depth", amount, labels={"queue": name})
        return objects.external_metric("depth", labels={"queue": name}, **target)

    examples = {}
    for source, made in (("object", of_service), ("external", of_queue)):
        for kind, amount in (("value", value), ("average", 3 * value)):
            name = f"{source}-{kind}-{value}"
            metric = made(name, str(amount), **{kind: "100"})
            examples[name] = Example([], wanted, str(value), replicas=3, metric=metric, behavior=behavior)
    for name, metric in (
        ("pods", objects.pods_metric("requests", "100")),
        ("resource", objects.resource_metric("memory", average="100")),
        ("container", objects.container_metric("app", "memory", average="100")),
    ):
        examples[f"{name}-{value}"] = Example([str(value)] * 3, wanted, str(value), metric=metric, behavior=behavior)
    return examples


@scenario(
    "hpa/tolerance-holds-for-every-metric",
    must="The tolerance MUST hold for each type of metric and target alike.",
    source="pkg/controller/podautoscaler/replica_calculator.go: getUsageRatioReplicaCount",
    controllers=BOTH,
)
async def test_tolerance_holds_for_every_metric(cluster: Cluster) -> None:
    await work_out(cluster, _of_every_type(cluster, 110, 3) | _of_every_type(cluster, 111, 4))


@scenario(
    "hpa/tolerance-of-one-hpa-for-every-metric",
    must="The tolerance that an HPA's behavior gives MUST hold for each type of metric and target alike.",
    source=_OF_HPA,
    controllers=BOTH,
    options=Options(feature_gates={"HPAConfigurableTolerance": True}),
)
async def test_tolerance_of_one_hpa_for_every_metric(cluster: Cluster) -> None:
    narrow, wide = unhindered(up="0.01"), unhindered(up="0.5")
    await work_out(cluster, _of_every_type(cluster, 105, 4, narrow) | _of_every_type(cluster, 149, 3, wide))
