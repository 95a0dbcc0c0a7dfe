"""Deployments: how their ReplicaSets are resized, as arithmetic and with a ReplicaSet controller."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from lockstep.scenarios.cluster import Cluster
from lockstep.world.owners.rollout import DESIRED, MAXIMUM, Rollout
from tests.core.kit import passing


def replica_set(
    name: str, replicas: int, available: int | None = None, desired: int | None = None, maximum: int | None = None
) -> dict[str, Any]:
    marks = {DESIRED: desired, MAXIMUM: maximum}
    return {
        "metadata": {"name": name, "annotations": {key: str(mark) for key, mark in marks.items() if mark is not None}},
        "spec": {"replicas": replicas},
        "status": {"availableReplicas": replicas if available is None else available},
    }


def rollout(replicas: int, new: Any, *old: Any, surge: Any = "25%", unavailable: Any = "25%") -> Rollout:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    spec = {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}
    return Rollout({"spec": spec, "status": {}}, new, list(old))


def moves(steps: list[Any]) -> dict[str, int]:
    return {step.set["metadata"]["name"]: step.replicas for step in steps}


@pytest.mark.parametrize(
    ("replicas", "surge", "old", "size"),
    [(10, "25%", 10, 3), (4, "25%", 4, 1), (4, "0%", 4, 0), (10, 0, 4, 6), (3, "25%", 0, 3), (0, "25%", 0, 0)],
)
def test_the_size_of_a_new_set(replicas: int, surge: Any, old: int, size: int) -> None:
    assert rollout(replicas, None, replica_set("old", old), surge=surge).first_size() == size


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (replica_set("new", 3, 0), replica_set("old", 10), {"old": 8}),  # two may be unavailable
        (replica_set("new", 3, 0), replica_set("old", 8), {"new": 5}),
        (replica_set("new", 5, 0), replica_set("old", 8), {}),
        (replica_set("new", 5, 2), replica_set("old", 8), {"old": 6}),
        (replica_set("new", 10, 10), replica_set("old", 3), {"old": 0}),
        (replica_set("new", 5, 5), replica_set("old", 8, 3), {"old": 3}),  # sick ones go at once
        (replica_set("new", 12), replica_set("old", 0), {"new": 10}),
    ],
)
def test_a_step_of_a_rolling_update(new: Any, old: Any, expected: dict[str, int]) -> None:
    assert moves(rollout(10, new, old).rolled()) == expected


@pytest.mark.parametrize(
    ("replicas", "sets", "expected"),
    [
        (20, [replica_set("new", 5, desired=10, maximum=13), replica_set("old", 8, desired=10, maximum=13)],
         {"old": 15, "new": 10}),
        (5, [replica_set("new", 5, desired=10, maximum=13), replica_set("old", 8, desired=10, maximum=13)],
         {"old": 4, "new": 3}),
        (0, [replica_set("new", 5, desired=10, maximum=13), replica_set("old", 8, desired=10, maximum=13)],
         {"old": 0, "new": 0}),
        (7, [replica_set("new", 5, desired=5), replica_set("old", 0)], {"new": 7}),
        (7, [replica_set("new", 0), replica_set("old", 4, desired=4)], {"old": 7}),
    ],
)  # fmt: skip
def test_scaling_in_proportion(replicas: int, sets: list[Any], expected: dict[str, int]) -> None:
    new, *old = sets
    found = rollout(replicas, new, *old)
    assert found.is_scaling()
    assert moves(found.scaled()) == expected


def test_a_deployment_rolls_out_and_scales() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.owners.manage("deployments")
        await cluster.create(objects.deployment("web", 4))
        await cluster.run(10)
        cluster.expect("sets", len(cluster.list("replicasets")), 1)
        cluster.expect("pods", len(cluster.pods()), 4)
        first = cluster.status("web", "deployments")
        counts = ("replicas", "readyReplicas", "updatedReplicas", "availableReplicas")
        cluster.expect("status", [first[name] for name in counts], [4] * 4)

        template = objects.pod_template({"app": "web"}, terminationGracePeriodSeconds=5)
        await cluster.patch("deployments", "web", {"spec": {"template": template}})
        most, least = 0, 4
        for _ in range(40):
            most = max(most, len(cluster.pods()))
            ready = sum(cluster.ready(one["metadata"]["name"]) for one in cluster.list("replicasets"))
            least = min(least, ready)
            await cluster.run(0.5)
        cluster.expect("pods at most, at least ready", (most, least), (5, 3))
        sizes = sorted(one["spec"]["replicas"] for one in cluster.list("replicasets"))
        cluster.expect("sizes at the end", sizes, [0, 4])

        await cluster.scale("web", 9, "deployments")
        await cluster.run(10)
        cluster.expect("pods after scaling", len(cluster.pods()), 9)
        cluster.expect("scale", cluster.status("web", "deployments")["replicas"], 9)
        await cluster.scale("web", 0, "deployments")
        await cluster.run(10)
        cluster.expect("no pod is left", len(cluster.pods()), 0)

    passing(body)


def test_a_deployment_scaled_in_the_middle_of_its_rollout() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.owners.manage("deployments")
        await cluster.create(objects.deployment("web", 8))
        await cluster.run(10)
        template = objects.pod_template({"app": "web"}, terminationGracePeriodSeconds=5)
        await cluster.patch("deployments", "web", {"spec": {"template": template}})
        await cluster.run(1)
        before = sorted(one["spec"]["replicas"] for one in cluster.list("replicasets"))
        cluster.expect("while it rolls", before, [4, 6])
        await cluster.scale("web", 16, "deployments")
        await cluster.run(0.1)
        after = sorted(one["spec"]["replicas"] for one in cluster.list("replicasets"))
        cluster.expect("both sets have grown", after, [8, 12])
        await cluster.run(60)
        cluster.expect("pods at the end", len(cluster.pods()), 16)

    passing(body)


def test_recreation_waits_for_the_last_old_pod() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.owners.manage("deployments")
        await cluster.create(objects.deployment("web", 3, strategy={"type": "Recreate"}))
        await cluster.run(10)
        old = {one["metadata"]["uid"] for one in cluster.pods()}
        template = objects.pod_template({"app": "web"}, terminationGracePeriodSeconds=5)
        await cluster.patch("deployments", "web", {"spec": {"template": template}})
        overlap = False
        for _ in range(40):
            present = {one["metadata"]["uid"] for one in cluster.list("pods")}
            overlap = overlap or bool(present & old and present - old)
            await cluster.run(0.25)
        cluster.expect("old and new pods at one time", overlap, False)
        cluster.expect("pods", len(cluster.pods()), 3)

    passing(body)


def test_a_paused_deployment_scales_but_does_not_roll() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.owners.manage("deployments")
        await cluster.create(objects.deployment("web", 2))
        await cluster.run(10)
        template = objects.pod_template({"app": "web"}, terminationGracePeriodSeconds=5)
        await cluster.patch("deployments", "web", {"spec": {"paused": True, "template": template}})
        await cluster.scale("web", 5, "deployments")
        await cluster.run(10)
        cluster.expect("sizes", [one["spec"]["replicas"] for one in cluster.list("replicasets")], [5])

    passing(body)
