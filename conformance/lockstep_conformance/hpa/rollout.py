"""A Deployment in the middle of a rollout, as its HPA sees it.

No Deployment controller runs here. The state of the rollout is fixed: pods of two versions, and a status that counts
them. All have the label `app: web`; `version` differs.
"""

from __future__ import annotations

from lockstep import Cluster, objects
from lockstep.scenarios.cluster import Object
from lockstep.trace.history import Write

VERSIONED = {"old": {"app": "web", "version": "old"}, "new": {"app": "web", "version": "new"}}


async def rolling_out(cluster: Cluster, *, replicas: int, old: int, new: int, metrics: list[Object]) -> None:
    """Create the Deployment `web`, pods of both versions, each requesting one core, and the HPA."""
    deployment = await cluster.create(objects.deployment("web", replicas))
    for version, count in (("old", old), ("new", new)):
        await _version(cluster, deployment, version, count)
    ready = {"replicas": old + new, "updatedReplicas": new, "readyReplicas": old}
    await cluster.set_status("deployments", "web", ready)
    await cluster.create(objects.hpa("web", target=deployment, max_replicas=20, metrics=metrics))


async def _version(cluster: Cluster, deployment: Object, version: str, count: int) -> None:
    app = objects.container("app", resources={"requests": {"cpu": "1"}})
    template = objects.pod_template(VERSIONED[version], containers=[app])
    name, labels = f"web-{version}", VERSIONED[version]
    await cluster.create(objects.replica_set(name, count, labels=labels, template=template, owner=deployment))


def deployment_scales(cluster: Cluster) -> list[tuple[float, int]]:
    """When the Deployment was scaled, and to how many replicas."""
    found: list[Write] = [one for one in cluster.writes("update", "deployments.apps") if one.subresource == "scale"]
    return [(cluster.at(one), one.body["spec"]["replicas"]) for one in found]
