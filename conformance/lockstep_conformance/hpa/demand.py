"""An HPA whose metric is the wanted number of replicas.

An external metric with a target average of 1 per replica recommends as many replicas as its value, whatever the pods
do. So these scenarios show how a recommendation is processed: limits, policies, windows. Recommendations that differ by
more than a tenth from the current replicas are outside of the tolerance.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects
from lockstep.metrics import steps
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.steps import status

BOTH = ("hpa", "replicaset")


async def demanded(
    cluster: Cluster,
    *wanted: tuple[float, int] | int,
    replicas: int = 1,
    up: Object | None = None,
    down: Object | None = None,
    name: str = "web",
    metric: str = "demand",
    **spec: Any,
) -> None:
    """Create a ReplicaSet and its HPA. `wanted`: (second, replicas from then on), or one number.

    `up` and `down` are the rules of its behavior (`objects.scaling`), `metric` is the name of its metric, and `spec`
    goes to `objects.hpa`.
    """
    propose(cluster, *wanted, metric=metric)
    if up is not None or down is not None:
        spec["behavior"] = objects.behavior(up=up, down=down)
    spec.setdefault("metrics", [proposal(metric)])
    await cluster.create(objects.replica_set(name, replicas), objects.hpa(name, **spec))


def propose(cluster: Cluster, *wanted: tuple[float, int] | int, metric: str = "demand") -> None:
    """Set the metric: (second, value from then on), or one number."""
    curve = steps(*(one if isinstance(one, tuple) else (0, one) for one in wanted))
    cluster.metrics.external(metric, curve)


def proposal(metric: str = "demand") -> Object:
    """The metric spec of an HPA that recommends the value of `metric`."""
    return objects.external_metric(metric, average="1")


def averages(cluster: Cluster) -> list[str | None]:
    """The averages of external metrics in the status, in order; None for one that failed."""
    shown = status(cluster)["currentMetrics"]
    return [one["external"]["current"]["averageValue"] if one["type"] else None for one in shown]
