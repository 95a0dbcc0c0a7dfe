"""Crashes: a controller dies between two of its requests, or between a request and its answer.

The requests around the crash hang, so that all that went before is done by then, the events too: how many of those get
out within the instant of a request depends on the scheduling of goroutines.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle

_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"
_MANAGE = "pkg/controller/replicaset/replica_set.go: manageReplicas"


def _hang(cluster: Cluster, *, answered: int, unanswered: int, **match: Any) -> None:
    """Of the matching requests `answered` are, `unanswered` more are carried out, and all that follow are lost."""
    if unanswered:
        cluster.faults.disconnect(effect=True, delay=9, skip=answered, times=unanswered, **match)
    cluster.faults.disconnect(delay=9, skip=answered, times=None, **match)


async def _crash_and_restart(cluster: Cluster, after: float) -> None:
    """Crash `after` seconds from now, with the requests that hang; restart 10 s later."""
    await cluster.run(after)
    await cluster.crash()
    cluster.faults.clear()
    await cluster.run(10)
    await cluster.start()


async def _crash_at_fourth_create(cluster: Cluster, *, carried_out: bool) -> None:
    _hang(cluster, answered=3, unanswered=int(carried_out), verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 10))
    await cluster.run(1)
    cluster.expect("requests before the crash", len(cluster.writes("create", "pods")), 7)
    cluster.expect("pods before the crash", len(cluster.pods("web")), 3 + carried_out)
    cluster.expect("status before the crash", cluster.status()["replicas"], 0)
    await _crash_and_restart(cluster, after=1)
    await cluster.settle()
    created = [round(cluster.at(one), 1) for one in cluster.writes("create", "pods") if one.after is not None]
    missing = 7 - carried_out
    cluster.expect("times of the creates", created, [0.0] * (10 - missing) + [12.1] * missing)
    cluster.expect("pods deleted", cluster.writes("delete", "pods"), [])
    cluster.expect("status.readyReplicas", cluster.status()["readyReplicas"], 10)


@scenario(
    "replicaset/crash-before-a-create",
    must="A controller that crashes before its fourth create of ten takes effect MUST create exactly seven pods when "
    "it restarts.",
    source=_MANAGE,
    features=("restart", "slow-start"),
)
async def test_crash_before_a_create(cluster: Cluster) -> None:
    await _crash_at_fourth_create(cluster, carried_out=False)


@scenario(
    "replicaset/crash-after-a-create",
    must="A controller that crashes before it hears that its fourth create of ten took effect MUST create exactly six "
    "pods when it restarts.",
    source=_MANAGE,
    features=("restart", "slow-start"),
)
async def test_crash_after_a_create(cluster: Cluster) -> None:
    await _crash_at_fourth_create(cluster, carried_out=True)


@scenario(
    "replicaset/crash-before-the-status",
    must="A controller that crashes between its creates and the status MUST NOT create again when it restarts, and "
    "MUST write the status then.",
    source=_SYNC,
    features=("restart", "status"),
)
async def test_crash_before_the_status(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(60)
    _hang(cluster, answered=0, unanswered=0, verb="update", resource="replicasets.apps", subresource="status")
    await cluster.scale("web", 5)
    await _crash_and_restart(cluster, after=1)
    cluster.expect("pods of web", len(cluster.pods("web")), 5)
    cluster.expect("status while it is down", cluster.status()["replicas"], 2)
    await cluster.run(1)
    counts = [cluster.status()[field] for field in ("replicas", "readyReplicas", "observedGeneration")]
    cluster.expect("replicas, ready, generation seen", counts, [5, 5, 2])
    await cluster.settle()
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 5)
    cluster.expect("pods deleted", cluster.writes("delete", "pods"), [])


@scenario(
    "replicaset/crash-with-deletes-in-flight",
    must="A controller that crashes in the middle of its deletes MUST delete only the rest when it restarts, while the "
    "pods that it deleted before still terminate.",
    source=(_MANAGE, "pkg/controller/replicaset/replica_set.go: addPod"),
    features=("restart", "scale-down"),
)
async def test_crash_with_deletes_in_flight(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_owner("web", Lifecycle(stop_after=None))  # they use their grace period of 30 s
    cluster.scheduler.place = lambda _: "node-1"  # so that nothing tells the pods apart
    await cluster.create(objects.replica_set("web", 6))
    await cluster.run_until(60)
    _hang(cluster, answered=0, unanswered=2, verb="delete", resource="pods")
    await cluster.scale("web", 2)
    cluster.expect("pods of web", len(cluster.pods("web")), 4)
    await _crash_and_restart(cluster, after=1)
    await cluster.run(1)
    cluster.expect("status.replicas", cluster.status()["replicas"], 2)
    cluster.expect("pods still terminating", len(cluster.pods("web", terminating=True)), 6)
    await cluster.settle()
    took = [one.name for one in cluster.writes("delete", "pods") if one.after is not None]
    cluster.expect("pods deleted", [len(took), len(set(took))], [4, 4])
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 6)
    cluster.expect("pods left", len(cluster.list("pods")), 2)
