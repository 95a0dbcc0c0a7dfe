"""Events: what the controller tells users, and how it keeps that from becoming a flood.

Every pod that is created or deleted, and every failure, makes an event. An event that is repeated is counted by a
patch; from the tenth similar one on they are combined; and one object gets at most 25 events in a burst, then one in
five minutes.
"""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, objects, scenario

_CONTROL = "pkg/controller/controller_utils.go: createPods, DeletePod"
_CACHE = "client-go/tools/record/events_cache.go"
_COMBINED = "(combined from similar events): "


def _told(event: dict[str, Any]) -> tuple[str, str, str, int]:
    return event["type"], event["reason"], event["message"], event["count"]


@scenario(
    "replicaset/events-about-created-and-deleted-pods",
    must="Each create and each delete MUST be told in an event about the ReplicaSet that names the pod.",
    source=_CONTROL,
    features=("events",),
)
async def test_events_about_created_and_deleted_pods(cluster: Cluster) -> None:
    web = await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    name = cluster.pods("web")[0]["metadata"]["name"]
    await cluster.scale("web", 0)
    await cluster.settle()
    created, deleted = cluster.events("SuccessfulCreate")[0], cluster.events("SuccessfulDelete")[0]
    cluster.expect("created", _told(created), ("Normal", "SuccessfulCreate", f"Created pod: {name}", 1))
    cluster.expect("deleted", _told(deleted), ("Normal", "SuccessfulDelete", f"Deleted pod: {name}", 1))
    about = {key: created["involvedObject"][key] for key in ("apiVersion", "kind", "name", "uid")}
    uid = web["metadata"]["uid"]
    cluster.expect("about", about, {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": uid})
    cluster.expect("source", created["source"], {"component": "replicaset-controller"})
    cluster.expect("events in all", len(cluster.events()), 2)


@scenario(
    "replicaset/events-about-failures",
    must="Each failed create and delete MUST be told in a warning with the server's words.",
    source=_CONTROL,
    features=("events", "failed-create", "failed-delete"),
)
async def test_events_about_failures(cluster: Cluster) -> None:
    cluster.faults.error(500, verb="create", resource="pods", times=1, message="no room for pods")
    await cluster.create(objects.replica_set("web", 1))
    await cluster.settle()
    cluster.faults.error(500, verb="delete", resource="pods", times=1, message="pods must stay")
    await cluster.scale("web", 0)
    await cluster.settle()
    create, delete = cluster.events("FailedCreate")[0], cluster.events("FailedDelete")[0]
    cluster.expect("create", _told(create), ("Warning", "FailedCreate", "Error creating: no room for pods", 1))
    cluster.expect("delete", _told(delete), ("Warning", "FailedDelete", "Error deleting: pods must stay", 1))
    cluster.expect("events in all", len(cluster.events()), 4)


@scenario(
    "replicaset/repeated-events-are-counted",
    must="An event that says the same again MUST be counted by a patch of the first, which keeps its first timestamp.",
    source=f"{_CACHE}: eventObserve",
    features=("events", "patch"),
    virtual="asserts timestamps, to the second",
)
async def test_repeated_events_are_counted(cluster: Cluster) -> None:
    cluster.faults.error(500, verb="create", resource="pods", times=None)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(3)
    (event,) = cluster.events()
    cluster.expect("attempts, count", (len(cluster.writes("create", "pods")), event["count"]), (10, 10))
    patches = cluster.writes("patch", "events")
    cluster.expect("counts, as patched", [patch.body["count"] for patch in patches], list(range(2, 11)))
    stamps = (event["firstTimestamp"], event["lastTimestamp"])
    cluster.expect("timestamps", stamps, ("2000-01-01T00:00:01Z", "2000-01-01T00:00:03Z"))


@scenario(
    "replicaset/similar-events-are-combined",
    must="From the tenth event of one reason within ten minutes on, all MUST be told in one event that is counted up.",
    source=f"{_CACHE}: EventAggregate",
    features=("events", "aggregation"),
)
async def test_similar_events_are_combined(cluster: Cluster) -> None:
    cluster.scheduler.delay = 24 * 3600.0
    await cluster.create(objects.replica_set("web", 0))
    for replicas in range(1, 15):  # at distinct instants, for events are named by the time
        await cluster.scale("web", replicas)
        await cluster.run(1)
    await cluster.run_until(300)
    single = [event for event in cluster.events() if not event["message"].startswith(_COMBINED)]
    combined = [event for event in cluster.events() if event["message"].startswith(_COMBINED)]
    cluster.expect("single events", len(single), 9)
    cluster.expect("combined, counted", [event["count"] for event in combined], [5])
    cluster.expect("patches", len(cluster.writes("patch", "events")), 4)
    await cluster.run_until(613)
    await cluster.scale("web", 15)  # exactly ten minutes after the one before
    await cluster.run_until(1213.001)
    await cluster.scale("web", 16)  # more than ten minutes after it
    last = cluster.pods("web")[-1]["metadata"]["name"]
    texts = [event["message"] for event in cluster.events()]
    cluster.expect("counts", sorted(event["count"] for event in cluster.events()), [1] * 10 + [6])
    cluster.expect_true("the last is told by itself", f"Created pod: {last}" in texts)


@scenario(
    "replicaset/events-about-one-object-are-limited",
    must="About one object at most 25 events MUST be sent in a burst, and then one in five minutes.",
    source=f"{_CACHE}: EventSourceObjectSpamFilter",
    issues="kubernetes/kubernetes#49145",
    features=("events", "spam", "R8"),
)
async def test_events_about_one_object_are_limited(cluster: Cluster) -> None:
    def sent() -> int:
        return len(cluster.writes("create", "events")) + len(cluster.writes("patch", "events"))

    cluster.scheduler.delay = 24 * 3600.0
    await cluster.create(objects.replica_set("web", 40))
    cluster.expect("events about 40 creates", sent(), 25)
    await cluster.run_until(299)
    await cluster.scale("web", 41)
    cluster.expect("events before five minutes", sent(), 25)
    await cluster.run_until(301)
    await cluster.scale("web", 42)
    cluster.expect("events after five minutes", sent(), 26)
    await cluster.scale("web", 43)
    cluster.expect("events after one more", sent(), 26)
    await cluster.create(objects.replica_set("api", 1))
    cluster.expect("another object has its own budget", sent(), 27)
    cluster.faults.error(500, verb="create", resource="pods", times=1)
    await cluster.scale("web", 44)
    cluster.expect("so have warnings", len(cluster.events("FailedCreate")), 1)
    cluster.expect("pods of web", len(cluster.pods("web")), 44)


@scenario(
    "replicaset/refused-events-are-dropped",
    must="Events that the server refuses MUST NOT be sent again, nor keep the controller from its work.",
    source="client-go/tools/record/event.go: recordEvent",
    features=("events", "500"),
)
async def test_refused_events_are_dropped(cluster: Cluster) -> None:
    cluster.faults.error(500, verb="create", resource="events", times=2)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    cluster.expect("ready pods", cluster.status()["readyReplicas"], 3)
    cluster.expect("answers", [write.code for write in cluster.writes("create", "events")], [500, 500, 201])
