"""Deletion ranking by time: ready time, restarts and age, and how all criteria follow one another.

Times are compared as whole powers of two of their age in nanoseconds (LogarithmicScaleDown), so that an old and a
very old pod count as equal; within one power the UID decides, which spreads deletions over pods. The powers lie at
1.07, 2.15, 4.29, 8.59, 17.18, 34.36, 68.72, 137.4, 274.9, 549.8 and 1099.5 s.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import Object
from lockstep.world import Lifecycle, nowhere
from lockstep_conformance.replicaset.steps import adopted, deleted_pods

_LESS = "pkg/controller/controller_utils.go: ActivePodsWithRanks.Less"
_LOGARITHM = (_LESS, "pkg/controller/controller_utils.go: logarithmicRankDiff")
_RESTARTS = "pkg/controller/controller_utils.go: compareMaxContainerRestarts"
_COST = "controller.kubernetes.io/pod-deletion-cost"


def _ready_after(cluster: Cluster, **seconds: float | None) -> list[Object]:
    """Pods named after the keywords, in that order, each ready after so many seconds (None: never)."""
    for name, after in seconds.items():
        cluster.kubelet.lifecycles.for_labels({"case": name}, Lifecycle(ready_after=after))
    return [objects.pod(name, {"app": "web", "case": name}, nodeName="node-1") for name in seconds]


async def _scaled_down_to(cluster: Cluster, replicas: int) -> str:
    """Take one replica away; returns the name of the pod that was deleted."""
    known = len(deleted_pods(cluster))
    await cluster.scale("web", replicas)
    newly = [write.name for write in cluster.writes("delete", "pods")[known:]]
    await cluster.run(1)
    return ", ".join(newly)


@scenario(
    "replicaset/latest-ready-pods-go-first",
    must="Of ready pods, those that became ready later MUST be deleted first, however long they exist.",
    source=_LOGARITHM,
    issues="kubernetes/kubernetes#111443",
    features=("scale-down", "ranking", "ready-time", "R18"),
)
async def test_latest_ready_pods_go_first(cluster: Cluster) -> None:
    await adopted(cluster, *_ready_after(cluster, a=50.0, b=5.0, c=90.0, d=75.0), after=100.0)
    # ready for 50, 95, 10 and 25 s: each in a power of two of its own
    order = [await _scaled_down_to(cluster, replicas) for replicas in (3, 2, 1)]
    cluster.expect("order of deletion", order, ["c", "d", "a"])


@scenario(
    "replicaset/uid-decides-within-one-power-of-two",
    must="Of pods whose time of being ready lies in one power of two, the one with the lower UID MUST be deleted "
    "first, even if it has been ready for longer.",
    source=_LOGARITHM,
    issues="kubernetes/kubernetes#111443",
    features=("scale-down", "ranking", "ready-time", "uid", "R18"),
)
async def test_uid_decides_within_one_power_of_two(cluster: Cluster) -> None:
    # UIDs ascend in the order of creation: a, b, c, d.
    await adopted(cluster, *_ready_after(cluster, a=45.0, b=60.0, c=30.0, d=55.0), after=100.0)
    # ready for 55, 40, 70 and 45 s: a, b and d lie between 34.36 and 68.72 s
    order = [await _scaled_down_to(cluster, replicas) for replicas in (3, 2, 1)]
    cluster.expect("order of deletion", order, ["a", "b", "d"])


@scenario(
    "replicaset/ready-time-changes-its-power-at-the-exact-instant",
    must="A pod MUST count as ready for longer from the nanosecond on at which its time reaches the next power of two.",
    source=_LOGARITHM,
    issues="kubernetes/kubernetes#111443",
    features=("scale-down", "ranking", "ready-time", "uid", "R18"),
    virtual="turns on ten nanoseconds",
)
async def test_ready_time_changes_its_power_at_the_exact_instant(cluster: Cluster) -> None:
    power = 34.359738368  # 2**35 ns
    await adopted(cluster, *_ready_after(cluster, a=10.0, b=14.0, c=20.0, d=24.0))
    await cluster.run_until(10 + power - 1e-8)
    cluster.expect("10 ns before a reaches the power, all are equal", await _scaled_down_to(cluster, 3), "a")
    await cluster.run_until(14 + power)
    cluster.expect("as b reaches the power, c and d are younger", await _scaled_down_to(cluster, 2), "c")


@scenario(
    "replicaset/pod-ready-since-this-instant-is-the-youngest",
    must="A pod that has been ready for no time at all MUST be deleted before all that have been ready for some.",
    source=_LOGARITHM,
    features=("scale-down", "ranking", "ready-time"),
)
async def test_pod_ready_since_this_instant_is_the_youngest(cluster: Cluster) -> None:
    await adopted(cluster, *_ready_after(cluster, a=99.0, b=100.0, c=10.0))
    await cluster.run_until(100)
    order = [await _scaled_down_to(cluster, replicas) for replicas in (2, 1)]
    cluster.expect("order of deletion", order, ["b", "a"])


@scenario(
    "replicaset/pod-ready-since-nobody-knows-when-goes-first",
    must="A ready pod that does not say since when MUST be deleted before ready pods that say it.",
    source=_LESS,
    features=("scale-down", "ranking", "ready-time"),
)
async def test_pod_ready_since_nobody_knows_when_goes_first(cluster: Cluster) -> None:
    await adopted(cluster, *_ready_after(cluster, a=10.0, b=None, c=90.0))
    await cluster.run_until(100)
    await cluster.set_status("pods", "b", {"conditions": [{"type": "Ready", "status": "True"}]})
    order = [await _scaled_down_to(cluster, replicas) for replicas in (2, 1)]
    cluster.expect("order of deletion", order, ["b", "c"])


@scenario(
    "replicaset/most-restarted-pods-go-first",
    must="Of pods ready since one instant, those with the container that restarted most MUST be deleted first; the "
    "restarts of several containers MUST NOT be added up.",
    source=(_LESS, _RESTARTS),
    features=("scale-down", "ranking", "restarts"),
)
async def test_most_restarted_pods_go_first(cluster: Cluster) -> None:
    containers = [objects.container("main"), objects.container("helper")]
    pods = [objects.pod(name, {"app": "web"}, nodeName="node-1", containers=containers) for name in "abcd"]
    await adopted(cluster, *pods, after=20.0)
    restarts = {"a": (1, 1), "b": (2, 2), "c": (0, 3), "d": (1, 0)}
    for name, (main, helper) in restarts.items():
        for container in ["main"] * main + ["helper"] * helper:
            cluster.kubelet.restart(cluster.get("pods", name), container)
    await cluster.run(20)  # all are ready again, since the same instant
    order = [await _scaled_down_to(cluster, replicas) for replicas in (3, 2)]
    cluster.expect("order of deletion", order, ["c", "b"])


@scenario(
    "replicaset/sidecar-restarts-break-a-tie",
    must="Where the restarts of ordinary containers are equal, those of sidecars MUST decide, and those of other init "
    "containers MUST NOT.",
    source=(_LESS, _RESTARTS),
    features=("scale-down", "ranking", "restarts", "sidecar"),
)
async def test_sidecar_restarts_break_a_tie(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(start_after=None)
    sidecar = objects.container("sidecar", restartPolicy="Always")
    init = [objects.container("setup"), sidecar]
    pods = [objects.pod(name, {"app": "web"}, nodeName="node-1", initContainers=init) for name in "abcd"]
    await adopted(cluster, *pods, after=1.0)
    counts = {"a": (1, 9, 1), "b": (1, 0, 3), "c": (2, 0, 0), "d": (1, 0, 2)}
    for name, (main, setup, sidecars) in counts.items():
        status = {
            "containerStatuses": [_restarted("main", main)],
            "initContainerStatuses": [_restarted("setup", setup), _restarted("sidecar", sidecars)],
        }
        await cluster.set_status("pods", name, status)
    order = [await _scaled_down_to(cluster, replicas) for replicas in (3, 2, 1)]
    cluster.expect("order of deletion", order, ["c", "b", "d"])


def _restarted(name: str, count: int) -> Object:
    return {"name": name, "image": "i", "imageID": "", "ready": False, "restartCount": count}


@scenario(
    "replicaset/youngest-pods-go-first",
    must="Where nothing else tells pods apart, those created later MUST be deleted first, on a logarithmic scale with "
    "the lower UID first within one power of two.",
    source=_LOGARITHM,
    features=("scale-down", "ranking", "creation-time", "uid"),
)
async def test_youngest_pods_go_first(cluster: Cluster) -> None:
    cluster.kubelet.lifecycles.default = Lifecycle(ready_after=None)
    for name, created in {"a": 0.0, "b": 60.0, "c": 70.0, "d": 110.0}.items():
        await cluster.run_until(created)
        await cluster.create(objects.pod(name, {"app": "web"}, nodeName="node-1"))
    await cluster.run_until(120)
    await cluster.create(objects.replica_set("web", 4))
    # 120, 60, 50 and 10 s old: b and c lie between 34.36 and 68.72 s
    order = [await _scaled_down_to(cluster, replicas) for replicas in (3, 2, 1)]
    cluster.expect("order of deletion", order, ["d", "b", "c"])


@scenario(
    "replicaset/earlier-criteria-win",
    must="Each criterion MUST decide before all that come after it, whatever those say.",
    source=(_LESS, "pkg/controller/replicaset/replica_set.go: getPodsRankedByRelatedPodsOnSameNode"),
    issues="kubernetes/kubernetes#111443",
    features=("scale-down", "ranking", "R18"),
)
async def test_earlier_criteria_win(cluster: Cluster) -> None:
    owner = await cluster.create(objects.deployment("app", 9))
    await adopted(cluster, *(_on(f"side-{n}", "crowded", app="side") for n in (1, 2)), name="side", owner=owner)
    cluster.scheduler.place = nowhere
    for case in ("unassigned", "pending", "unknown"):
        cluster.kubelet.lifecycles.for_labels({"case": case}, Lifecycle(start_after=None))
    for case, after in {"unready": None, "fresh": 1000.0, "restarted": 950.0, "young": 50.0, "old": 950.0}.items():
        cluster.kubelet.lifecycles.for_labels({"case": case}, Lifecycle(ready_after=after))
    # Each pod is preferred by its own criterion; wherever a later one tells it from others, that prefers them.
    costs = {"unassigned": "5", "pending": "4", "unknown": "3", "unready": "2", "cheap": "-1"}
    for name in ("old", "restarted", "fresh", "doubled", "cheap", "unready", "unknown", "pending", "unassigned"):
        await cluster.create(_on(name, _NODES.get(name, f"of-{name}"), cost=costs.get(name)))
    await cluster.run_until(900)
    await cluster.create(_on("young", "of-young"))
    await cluster.run_until(940)
    await cluster.set_status("pods", "unknown", {"phase": "Unknown"})
    for _ in range(3):
        cluster.kubelet.restart(cluster.get("pods", "restarted"))
    await cluster.run_until(1010)
    await cluster.create(objects.replica_set("web", 10, owner=owner))
    await cluster.run(1)
    wanted = ["unassigned", "pending", "unknown", "unready", "cheap", "doubled", "fresh", "restarted", "young"]
    order = [await _scaled_down_to(cluster, replicas) for replicas in range(9, 0, -1)]
    cluster.expect("order of deletion", order, wanted)


_NODES = {"unassigned": "", "doubled": "crowded"}


def _on(name: str, node: str, app: str = "web", cost: str | None = None) -> Object:
    metadata: Object = {} if cost is None else {"annotations": {_COST: cost}}
    spec: Object = {"nodeName": node} if node else {}
    return objects.pod(name, {"app": app, "case": name}, metadata=metadata, **spec)
