"""Restart: a controller that crashes keeps nothing but what the API server has, and carries on from there.

Its expectations are lost with it, so whatever it did or did not get done shows only in the objects it lists again.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario

_RUN = "pkg/controller/replicaset/replica_set.go: Run"
_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"


@scenario(
    "replicaset/idle-restart-writes-nothing",
    must="A controller that restarts in a cluster at rest MUST NOT write anything.",
    source=_RUN,
    features=("restart",),
)
async def test_idle_restart_writes_nothing(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3), objects.replica_set("api", 2, min_ready_seconds=30))
    await cluster.create(objects.replica_set("none", 0))
    await cluster.settle(calm=60)
    before = len(cluster.writes())
    await cluster.crash()
    await cluster.run(10)
    await cluster.start()
    await cluster.run(3600)
    cluster.expect("writes since the crash", len(cluster.writes()) - before, 0)
    cluster.expect("ready pods", [cluster.ready("web"), cluster.ready("api")], [3, 2])


@scenario(
    "replicaset/restart-catches-up",
    must="A controller that restarts MUST act at once on what changed while it was down.",
    source=_RUN,
    features=("restart", "adoption", "deletion"),
)
async def test_restart_catches_up(cluster: Cluster) -> None:
    for name in ("gone", "grows", "shrinks", "loses"):
        await cluster.create(objects.replica_set(name, 2))
    await cluster.settle()
    before = len(cluster.writes())
    await cluster.crash()
    await cluster.delete("replicasets.apps", "gone")
    await cluster.scale("grows", 3)
    await cluster.scale("shrinks", 0)
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("loses"))["metadata"]["name"])
    await cluster.create(objects.pod("orphan", objects.labels_of("grows")))
    await cluster.create(objects.replica_set("new", 1))
    await cluster.run(60)
    cluster.expect("writes while it is down", len(cluster.writes()) - before, 0)
    await cluster.start()
    await cluster.run(1)
    done = sorted(one.verb for one in cluster.writes()[before:] if one.resource == "pods")
    cluster.expect("what was done", done, ["create", "create", "delete", "delete", "patch"])
    await cluster.settle()
    wanted = {"gone": 0, "grows": 3, "shrinks": 0, "loses": 2, "new": 1}
    cluster.expect("pods", {name: len(cluster.pods(name)) for name in wanted}, wanted)
