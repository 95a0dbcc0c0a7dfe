"""An HPA that is told how many replicas are wanted.

An external metric of average 1 per replica proposes as many replicas as its value, whatever the pods do. So these
scenarios show what becomes of a proposal: limits, rates, windows. Proposals that differ by more than a tenth from the
replicas of the moment are outside of the tolerance.
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
    """Create a ReplicaSet and its HPA. `wanted`: from which second on how many are proposed, or a number for ever.

    `up` and `down` are the rules of its behavior (`objects.scaling`), `metric` is what it looks at, and `spec` goes to
    `objects.hpa`.
    """
    propose(cluster, *wanted, metric=metric)
    if up is not None or down is not None:
        spec["behavior"] = objects.behavior(up=up, down=down)
    spec.setdefault("metrics", [proposal(metric)])
    await cluster.create(objects.replica_set(name, replicas), objects.hpa(name, **spec))


def propose(cluster: Cluster, *wanted: tuple[float, int] | int, metric: str = "demand") -> None:
    """What the metric says from which second on, or a number for ever."""
    curve = steps(*(one if isinstance(one, tuple) else (0, one) for one in wanted))
    cluster.metrics.external(metric, curve)


def proposal(metric: str = "demand") -> Object:
    """The metric of an HPA that proposes what `metric` says."""
    return objects.external_metric(metric, average="1")


def averages(cluster: Cluster) -> list[str | None]:
    """What the status says of external metrics: their averages in order, None for one that could not be had."""
    shown = status(cluster)["currentMetrics"]
    return [one["external"]["current"]["averageValue"] if one["type"] else None for one in shown]
