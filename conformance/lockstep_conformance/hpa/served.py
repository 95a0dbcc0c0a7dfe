"""A workload whose pods request CPU, and an HPA for its CPU utilization.

By default each pod requests one core, so that a utilization of 50 % is half a core. Pods run after 1 s and are ready
after 2 s. With the default scrape interval, the usage of a new pod counts from its second scrape on.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects
from lockstep.scenarios.cluster import Object

CPU_50 = objects.resource_metric("cpu", utilization=50)


def workload(name: str = "web", replicas: int = 1, **requests: str) -> Object:
    """A ReplicaSet of pods with one container. `requests` defaults to one core."""
    app = objects.container("app", resources={"requests": requests or {"cpu": "1"}})
    template = objects.pod_template(objects.labels_of(name), containers=[app])
    return objects.replica_set(name, replicas, template=template)


async def serve(cluster: Cluster, replicas: int = 1, *, name: str = "web", before: float = 0.0, **spec: Any) -> None:
    """Create a workload and, `before` seconds later, its HPA: `spec` goes to `objects.hpa`, by default 50 % of CPU."""
    await cluster.create(workload(name, replicas))
    await cluster.run(before)
    spec.setdefault("metrics", [CPU_50])
    await cluster.create(objects.hpa(name, **spec))
