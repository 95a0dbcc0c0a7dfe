"""Scaling: the number of active pods follows `spec.replicas`, at once.

A sync compares the pods that it sees with the number that is wanted, and creates or deletes the difference. Pods that
are still pending count like all others. Where nothing differs, nothing is written.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.replicaset.steps import by_instant

_MANAGE = "pkg/controller/replicaset/replica_set.go: manageReplicas"


@scenario(
    "replicaset/scale-up-creates-the-difference",
    must="When spec.replicas grows, exactly the missing pods MUST be created, in the instant of the change.",
    source=_MANAGE,
    features=("scale-up",),
)
async def test_scale_up_creates_the_difference(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(30)
    before = {pod["metadata"]["name"] for pod in cluster.pods("web")}
    await cluster.scale("web", 5)
    cluster.expect("active pods right after the change", len(cluster.pods("web")), 5)
    cluster.expect_true("old pods stay", before <= {pod["metadata"]["name"] for pod in cluster.pods("web")})
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 2, 30.0: 3})
    await cluster.settle()
    status = cluster.status()
    cluster.expect("replicas, ready", (status["replicas"], status["readyReplicas"]), (5, 5))
    cluster.expect("deletes", cluster.writes("delete", "pods"), [])


@scenario(
    "replicaset/scale-down-deletes-the-surplus",
    must="When spec.replicas shrinks, exactly the surplus pods MUST be deleted, in the instant of the change.",
    source=_MANAGE,
    features=("scale-down",),
)
async def test_scale_down_deletes_the_surplus(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 6))
    await cluster.run_until(30)
    await cluster.scale("web", 2)
    cluster.expect("active pods right after the change", len(cluster.pods("web")), 2)
    cluster.expect("pods that end", len(cluster.pods("web", terminating=True)), 6)
    cluster.expect("status.replicas", cluster.status()["replicas"], 2)
    await cluster.settle()
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {30.0: 4})
    cluster.expect("creates", len(cluster.writes("create", "pods")), 6)
    cluster.expect("pods in the end", len(cluster.pods("web", terminating=True)), 2)


@scenario(
    "replicaset/scale-to-zero-and-back",
    must="At spec.replicas 0 every pod MUST be deleted, and new ones MUST NOT wait for the old ones to be gone.",
    source=_MANAGE,
    features=("scale-down", "scale-up", "zero", "terminating"),
)
async def test_scale_to_zero_and_back(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(stop_after=20.0)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(10)
    await cluster.scale("web", 0)
    cluster.expect("active pods at zero", len(cluster.pods("web")), 0)
    cluster.expect("status at zero", cluster.status()["replicas"], 0)
    await cluster.run_until(15)
    await cluster.scale("web", 3)
    cluster.expect("active pods", len(cluster.pods("web")), 3)
    cluster.expect("old ones that still end", len(cluster.pods("web", terminating=True)) - 3, 3)
    cluster.expect("status.replicas", cluster.status()["replicas"], 3)
    await cluster.settle()
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 3, 15.0: 3})
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {10.0: 3})


@scenario(
    "replicaset/no-op-edits-write-nothing",
    must="A change that concerns neither the replicas nor the status MUST NOT make the controller touch pods; the only "
    "write is status.observedGeneration after a change of the spec.",
    source="pkg/controller/replicaset/replica_set_utils.go: updateReplicaSetStatus",
    features=("no-op", "observed-generation"),
)
async def test_no_op_edits_write_nothing(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.settle()
    before = len(cluster.writes())
    pod = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    await cluster.patch("replicasets", "web", {"metadata": {"annotations": {"note": "no-op"}}})
    await cluster.patch("replicasets", "web", {"metadata": {"labels": {"team": "a"}}})
    await cluster.scale("web", 2)
    await cluster.patch("pods", pod, {"metadata": {"annotations": {"note": "no-op"}}})
    await cluster.run(60)
    cluster.expect("writes after edits of metadata", len(cluster.writes()), before)
    # A new template concerns future pods only.
    template = objects.pod_template(objects.labels_of("web"), metadata={"annotations": {"version": "2"}})
    await cluster.patch("replicasets", "web", {"spec": {"template": template}})
    await cluster.settle()
    after = cluster.writes()[before:]
    cluster.expect(
        "writes after a new template", [(one.verb, one.subresource) for one in after], [("update", "status")]
    )
    cluster.expect("observedGeneration", cluster.status()["observedGeneration"], 2)


@scenario(
    "replicaset/replicas-default-to-one",
    must="A ReplicaSet without spec.replicas MUST get one pod.",
    source=("pkg/apis/apps/v1/defaults.go: SetDefaults_ReplicaSet", _MANAGE),
    features=("defaulting",),
)
async def test_replicas_default_to_one(cluster: Cluster) -> None:
    created = await cluster.create(objects.replica_set("web", None))
    cluster.expect("spec.replicas as stored", created["spec"]["replicas"], 1)
    await cluster.settle()
    cluster.expect("pods of web", len(cluster.pods("web")), 1)
    cluster.expect("creates", len(cluster.writes("create", "pods")), 1)
    cluster.expect("ready", cluster.status()["readyReplicas"], 1)


@scenario(
    "replicaset/replicas-edited-while-pods-are-pending",
    must="Pending pods MUST count as replicas: an edit MUST change the pods by the difference to those that exist.",
    source=("pkg/controller/controller_utils.go: FilterActivePods", _MANAGE),
    features=("scale-up", "scale-down", "pending"),
)
async def test_replicas_edited_while_pods_are_pending(cluster: Cluster) -> None:
    cluster.scheduler.delay = 600.0
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run(1)
    await cluster.scale("web", 5)
    await cluster.run(1)
    await cluster.scale("web", 2)
    await cluster.run(1)
    await cluster.scale("web", 4)
    cluster.expect("pending pods", [pod["status"]["phase"] for pod in cluster.pods("web")], ["Pending"] * 4)
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 3, 1.0: 2, 3.0: 2})
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {2.0: 3})
    await cluster.run_until(610)
    status = cluster.status()
    cluster.expect("replicas, ready", (status["replicas"], status["readyReplicas"]), (4, 4))
    cluster.expect("creates in all", len(cluster.writes("create", "pods")), 7)


@scenario(
    "replicaset/replicas-edited-during-a-sync",
    must="A change of spec.replicas during a sync MUST NOT change that sync, and MUST be acted upon right after it.",
    source=("pkg/controller/replicaset/replica_set.go: syncReplicaSet", "client-go/util/workqueue/queue.go: Add, Done"),
    features=("scale-up", "scale-down", "latency"),
)
async def test_replicas_edited_during_a_sync(cluster: Cluster) -> None:
    cluster.faults.latency(1.0, verb="create", resource="pods")  # batches of 1, 2 and 1 begin at 0, 1 and 2 s
    await cluster.create(objects.replica_set("web", 4))
    await cluster.run(0.5)
    await cluster.scale("web", 1)
    await cluster.run_until(2.9)
    cluster.expect("nothing is deleted by the sync that runs", cluster.writes("delete", "pods"), [])
    await cluster.settle()
    cluster.expect("creates by instant", by_instant(cluster, "create"), {1.0: 1, 2.0: 2, 3.0: 1})
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {3.0: 3})
    cluster.expect("pods of web", len(cluster.pods("web")), 1)
