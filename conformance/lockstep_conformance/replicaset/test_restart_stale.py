"""Restart with an old list: the first list of a new controller comes from a watch cache that lags behind.

A controller without memory believes what it lists. It may do again what was done already, and puts that right once it
has heard of it.
"""

from __future__ import annotations

from lockstep import Cluster, Fault, objects, scenario

_RUN = "pkg/controller/replicaset/replica_set.go: Run"
_SYNC = "pkg/controller/replicaset/replica_set.go: syncReplicaSet"


def _stale_first_list(cluster: Cluster, version: int) -> list[Fault]:
    """Newer client-go lists by a watch with initial events, older by a list."""
    return [cluster.faults.stale(version, verb=verb, resource="pods") for verb in ("list", "watch")]


@scenario(
    "replicaset/restart-with-old-list-catches-up",
    must="A first list from the past MUST do no harm as long as the changes since then follow before the first sync.",
    source=(_RUN, "client-go/tools/cache/reflector.go"),
    issues="kubernetes/kubernetes#14693",
    features=("restart", "stale-cache", "R22"),
)
async def test_restart_with_old_list_catches_up(cluster: Cluster) -> None:
    empty = cluster.version
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    before = len(cluster.writes())
    await cluster.crash()
    stale = _stale_first_list(cluster, empty)
    await cluster.start()
    await cluster.run(600)
    cluster.expect_true("the first list was stale", any(fault.hits for fault in stale))
    cluster.expect("writes since the restart", len(cluster.writes()) - before, 0)


@scenario(
    "replicaset/restart-with-lagging-cache-repairs-itself",
    must="A controller that restarts with a list from before its pods, and hears of them only later, creates them "
    "again; once it has heard of them it MUST delete the surplus, newest first, and keep the old ones.",
    source=(_RUN, _SYNC),
    issues="kubernetes/kubernetes#14693",
    features=("restart", "stale-cache", "R22"),
)
async def test_restart_with_lagging_cache_repairs_itself(cluster: Cluster) -> None:
    empty = cluster.version
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    began = cluster.now
    old = sorted(pod["metadata"]["name"] for pod in cluster.pods("web"))
    await cluster.crash()
    _stale_first_list(cluster, empty)
    cluster.network.hold("pods")
    await cluster.start()
    await cluster.run(30)
    again = [one for one in cluster.writes("create", "pods", 201) if cluster.at(one) >= began]
    cluster.expect("pods created again", len(again), 3)
    cluster.expect("pods of web", len(cluster.pods("web")), 6)
    cluster.network.release("pods")
    await cluster.settle()
    kept = sorted(pod["metadata"]["name"] for pod in cluster.pods("web"))
    cluster.expect("pods kept", kept, old)
    cluster.expect("pods deleted", len(cluster.writes("delete", "pods", 200)), 3)
    cluster.expect("status.replicas", cluster.status()["replicas"], 3)
