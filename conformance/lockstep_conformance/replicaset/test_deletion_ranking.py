"""Deletion ranking: which pods go first when a ReplicaSet shrinks, by the state they are in and where they run.

Eight criteria are asked in turn, and the first that tells two pods apart decides: unassigned, phase, readiness,
deletion cost, doubled up on a node, ready time, restarts, age. Each scenario here lets one of them decide among pods
that are equal in all others. Restarts and the criteria of time are in `test_deletion_ranking_by_age`, as is the
scenario that makes each criterion win against all later ones.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep.world import Lifecycle, nowhere
from lockstep_conformance.replicaset.steps import adopted, deleted_pods

_LESS = "pkg/controller/controller_utils.go: ActivePodsWithRanks.Less"
_RANKS = "pkg/controller/replicaset/replica_set.go: getPodsRankedByRelatedPodsOnSameNode"
_COST = "controller.kubernetes.io/pod-deletion-cost"
_PENDING = Lifecycle(start_after=None)
_UNREADY = Lifecycle(ready_after=None)


def _pod(name: str, node: str = "node-1", app: str = "web", cost: str | None = None) -> Object:
    """A pod on `node` ("" for none); its label `case` is its name without the number."""
    metadata: Object = {} if cost is None else {"annotations": {_COST: cost}}
    spec: Object = {"nodeName": node} if node else {}
    spec["terminationGracePeriodSeconds"] = 300
    return objects.pod(name, {"app": app, "case": name.rstrip("-0123456789")}, metadata=metadata, **spec)


@scenario(
    "replicaset/unassigned-pods-go-first",
    must="Of two pending pods, the one that is on no node MUST be deleted before the one that is on a node.",
    source=_LESS,
    features=("scale-down", "ranking"),
)
async def test_unassigned_pods_go_first(cluster: Cluster) -> None:
    cluster.scheduler.place = nowhere
    cluster.kubelet.lifecycles.default = _PENDING
    pods = [_pod("bound-1"), _pod("free-1", node=""), _pod("bound-2"), _pod("free-2", node=""), _pod("bound-3")]
    await adopted(cluster, *pods)
    phases = {pod["status"]["phase"] for pod in cluster.pods("web")}
    cluster.expect("phases", phases, {"Pending"})
    await cluster.scale("web", 3)
    cluster.expect("deleted", sorted(deleted_pods(cluster)), ["free-1", "free-2"])


@scenario(
    "replicaset/pending-before-unknown-before-running",
    must="Pending pods MUST be deleted before pods of unknown phase, and those before running ones.",
    source=_LESS,
    features=("scale-down", "ranking"),
    virtual="names the requests of one batch in their order",
)
async def test_pending_before_unknown_before_running(cluster: Cluster) -> None:
    for case in ("pending", "unknown"):
        cluster.kubelet.lifecycles.for_labels({"case": case}, _PENDING)
    cluster.kubelet.lifecycles.for_labels({"case": "running"}, _UNREADY)
    names = ("running-1", "unknown-1", "pending-1", "running-2", "unknown-2", "pending-2")
    await adopted(cluster, *map(_pod, names), after=20.0)
    for name in ("unknown-1", "unknown-2"):
        await cluster.set_status("pods", name, {"phase": "Unknown"})
    cluster.expect("ready pods", cluster.ready("web"), 0)
    await cluster.scale("web", 4)
    cluster.expect("deleted first", deleted_pods(cluster), ["pending-1", "pending-2"])
    await cluster.run(1)
    await cluster.scale("web", 2)
    cluster.expect("deleted next", deleted_pods(cluster)[2:], ["unknown-1", "unknown-2"])


@scenario(
    "replicaset/unready-pods-go-before-ready-ones",
    must="Of running pods, those that are not ready MUST be deleted before those that are.",
    source=_LESS,
    features=("scale-down", "ranking"),
    virtual="names the requests of one batch in their order",
)
async def test_unready_pods_go_before_ready_ones(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_labels({"case": "unready"}, _UNREADY)
    names = ("ready-1", "unready-1", "ready-2", "lapsed-1", "ready-3", "unready-2")
    await adopted(cluster, *map(_pod, names), after=20.0)
    cluster.kubelet.set_ready(cluster.get("pods", "lapsed-1"), False)  # it was ready; that counts for nothing
    await cluster.run(1)
    await cluster.scale("web", 3)
    cluster.expect("deleted", deleted_pods(cluster), ["lapsed-1", "unready-1", "unready-2"])


@scenario(
    "replicaset/cheaper-pods-go-first",
    must="Of ready pods, those with the lower pod-deletion-cost MUST be deleted first; no cost MUST count as 0.",
    source=_LESS,
    features=("scale-down", "ranking", "deletion-cost"),
)
async def test_cheaper_pods_go_first(cluster: Cluster) -> None:
    pods = [
        _pod("ten", cost="10"),
        _pod("minus-five", cost="-5"),
        _pod("zero", cost="0"),
        _pod("none"),
        _pod("minus-ten", cost="-10"),
        _pod("most", cost="2147483647"),
    ]
    await adopted(cluster, *pods, after=20.0)
    # "none" and "zero" cost the same, so that the next criterion by which they differ decides: restarts.
    for name in ("none", "zero"):
        cluster.kubelet.restart(cluster.get("pods", name))
    cluster.kubelet.restart(cluster.get("pods", "none"))
    await cluster.run(20)
    order = ["minus-ten", "minus-five", "none", "zero", "ten"]
    for count, name in enumerate(order, start=1):
        await cluster.scale("web", len(pods) - count)
        cluster.expect(f"deletion {count}", cluster.writes("delete", "pods")[-1].name, name)
        await cluster.run(1)
    cluster.expect("deletions", len(cluster.writes("delete", "pods")), len(order))


@scenario(
    "replicaset/doubled-up-pods-go-first",
    must="Of equal pods, the one whose node holds more active pods of its own and its sibling ReplicaSets MUST be "
    "deleted first.",
    source=(_LESS, _RANKS),
    features=("scale-down", "ranking", "doubled-up"),
)
async def test_doubled_up_pods_go_first(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.for_labels({"app": "side"}, Lifecycle(stop_after=None))
    owner = await cluster.create(objects.deployment("app", 4))
    sides = [
        ("side-1", "node-1"),
        ("side-2", "node-1"),
        ("side-3", "node-3"),
        ("side-4", "node-3"),
        ("side-5", "node-3"),
    ]
    await adopted(cluster, *(_pod(name, node, app="side") for name, node in sides), name="side", owner=owner)
    places = [("web-1", "node-3"), ("web-2", "node-2"), ("web-3", "node-1"), ("web-4", "node-2")]
    await adopted(cluster, *(_pod(name, node) for name, node in places), owner=owner, after=20.0)
    # What is being deleted does not count, though it still runs: node-3 is left with web-1 only.
    await cluster.scale("side", 2)
    # Restarts, and the ready time after them, speak against web-1 first and web-2 next: they come later.
    for name in ["web-1"] * 3 + ["web-2"]:
        cluster.kubelet.restart(cluster.get("pods", name))
    await cluster.run(20)
    for pod in cluster.pods("side"):
        cluster.expect("node of the side pods that are left", pod["spec"]["nodeName"], "node-1")
    await cluster.scale("web", 3)
    cluster.expect("3 pods on node-1 against 2 on node-2 and 1 on node-3", deleted_pods(cluster)[3:], ["web-3"])
    await cluster.run(1)
    await cluster.scale("web", 2)
    cluster.expect("2 pods on node-2 against 1 on node-3", deleted_pods(cluster)[4:], ["web-2"])


@scenario(
    "replicaset/doubling-up-needs-an-owner",
    must="For a ReplicaSet that nobody owns, the number of pods on a node MUST NOT matter.",
    source=(_LESS, "pkg/controller/replicaset/replica_set.go: getReplicaSetsWithSameController"),
    features=("scale-down", "ranking", "doubled-up"),
)
async def test_doubling_up_needs_an_owner(cluster: Cluster) -> None:
    places = [("pair-1", "node-1"), ("pair-2", "node-1"), ("alone", "node-2"), ("pair-3", "node-1")]
    await adopted(cluster, *(_pod(name, node) for name, node in places), after=20.0)
    for _ in range(2):
        cluster.kubelet.restart(cluster.get("pods", "alone"))
    for name in ("pair-1", "pair-2", "pair-3"):
        cluster.kubelet.restart(cluster.get("pods", name))
    await cluster.run(20)
    await cluster.scale("web", 3)
    cluster.expect("deleted for its restarts, though alone on its node", deleted_pods(cluster), ["alone"])
