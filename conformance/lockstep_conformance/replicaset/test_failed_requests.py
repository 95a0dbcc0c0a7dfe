"""Requests that fail: whatever the reason, the sync fails, says so in an event, and is tried again.

Only a server that says how long to wait, by `Retry-After`, is obeyed by the client itself, unnoticed by the controller.
A request that failed without an answer may have taken effect: then the pod is observed like any other.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep_conformance.replicaset.steps import by_instant

_MANAGE = "pkg/controller/replicaset/replica_set.go: manageReplicas"
_RETRY = "client-go/rest/with_retry.go: IsNextRetry"


def _reasons(cluster: Cluster) -> list[str]:
    """The reasons of the events that the controller made, in order."""
    return [write.body["reason"] for write in cluster.writes("create", "events")]


@scenario(
    "replicaset/create-that-timed-out-is-retried",
    must="A create that the server gave up MUST be tried again.",
    source=_MANAGE,
    issues="kubernetes/kubernetes#67662",
    features=("failed-create", "timeout", "R7"),
)
async def test_create_that_timed_out_is_retried(cluster: Cluster) -> None:
    cluster.faults.timeout(verb="create", resource="pods", times=1)
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(33)
    cluster.expect("pods while the first create hangs", cluster.pods("web"), [])
    await cluster.run_until(34.1)
    cluster.expect("creates by instant", by_instant(cluster, "create", 201), {34.0: 2})
    await cluster.settle()
    cluster.expect("pods of web", len(cluster.pods("web")), 2)
    cluster.expect("events", _reasons(cluster), ["FailedCreate", "SuccessfulCreate", "SuccessfulCreate"])


@scenario(
    "replicaset/create-that-timed-out-with-effect-counts",
    must="A pod whose create timed out, but took effect, MUST count when it is observed, and MUST NOT be made twice.",
    source=_MANAGE,
    issues="kubernetes/kubernetes#67662",
    features=("failed-create", "timeout", "R7"),
)
async def test_create_that_timed_out_with_effect_counts(cluster: Cluster) -> None:
    cluster.faults.timeout(effect=True, verb="create", resource="pods", times=1)
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(33)
    cluster.expect("pods while the first create hangs", len(cluster.pods("web")), 1)
    await cluster.settle()
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.0: 1, 34.0: 1})
    cluster.expect("deletes", by_instant(cluster, "delete"), {})
    cluster.expect("events", _reasons(cluster), ["FailedCreate", "SuccessfulCreate"])


@scenario(
    "replicaset/unanswered-create-and-lag-overshoot-once",
    must="If a create took effect without an answer and the pod cache lags, one pod too many may be made, and it MUST "
    "be deleted as soon as it is seen.",
    source=(_MANAGE, "pkg/controller/controller_utils.go: CreationObserved"),
    issues=("kubernetes/kubernetes#67662", "kubernetes/kubernetes#41675"),
    features=("failed-create", "disconnect", "watch-lag", "R7", "R20"),
)
async def test_unanswered_create_and_lag_overshoot_once(cluster: Cluster) -> None:
    cluster.scheduler.delay = 3600.0
    cluster.network.set_lag("pods", 10.0)
    cluster.faults.timeout(after=1.0, effect=True, verb="create", resource="pods", times=1)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(9)
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.0: 1, 1.0: 1})
    await cluster.run_until(60)
    cluster.expect("deletes by instant", by_instant(cluster, "delete"), {11.0: 1})
    cluster.expect("pods of web", len(cluster.pods("web")), 1)


@scenario(
    "replicaset/too-many-requests-with-retry-after",
    must="A create answered with 429 and Retry-After MUST be repeated after that time, without an event or a failure.",
    source=_RETRY,
    features=("failed-create", "429"),
)
async def test_too_many_requests_with_retry_after(cluster: Cluster) -> None:
    cluster.faults.error(429, retry_after=7, verb="create", resource="pods", times=2)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(20)
    cluster.expect("refused by instant", by_instant(cluster, "create", 429), {0.0: 1, 7.0: 1})
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {14.0: 1})
    cluster.expect("events", _reasons(cluster), ["SuccessfulCreate"])


@scenario(
    "replicaset/too-many-requests-for-long",
    must="After ten repetitions a create that is answered with 429 MUST fail, and the sync with it.",
    source=(_RETRY, _MANAGE),
    features=("failed-create", "429", "backoff"),
)
async def test_too_many_requests_for_long(cluster: Cluster) -> None:
    cluster.faults.error(429, retry_after=1, verb="create", resource="pods", times=11)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(20)
    cluster.expect("refused", by_instant(cluster, "create", 429), {float(second): 1 for second in range(11)})
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {10.0: 1})
    cluster.expect("events", _reasons(cluster), ["FailedCreate", "SuccessfulCreate"])


@scenario(
    "replicaset/too-many-requests-without-retry-after",
    must="A create answered with 429 alone MUST NOT be repeated by the client: the sync fails and backs off.",
    source=(_RETRY, _MANAGE),
    features=("failed-create", "429", "backoff"),
)
async def test_too_many_requests_without_retry_after(cluster: Cluster) -> None:
    cluster.faults.error(429, verb="create", resource="pods", times=4)
    await cluster.create(objects.replica_set("web", 1))
    await cluster.run_until(1)
    cluster.expect("refused by instant", by_instant(cluster, "create", 429), {0.0: 2, 0.005: 1, 0.025: 1})
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.065: 1})


@scenario(
    "replicaset/broken-connection-fails-the-create",
    must="A create whose connection breaks MUST NOT be repeated by the client: the sync fails and backs off.",
    source=(_RETRY, _MANAGE),
    features=("failed-create", "disconnect", "backoff"),
)
async def test_broken_connection_fails_the_create(cluster: Cluster) -> None:
    cluster.faults.disconnect(verb="create", resource="pods", times=3)
    await cluster.create(objects.replica_set("web", 3))
    await cluster.run_until(1)
    cluster.expect("broken by instant", by_instant(cluster, "create", 0), {0.0: 2, 0.005: 1})
    cluster.expect("created by instant", by_instant(cluster, "create", 201), {0.025: 3})
    cluster.expect("events", _reasons(cluster), ["FailedCreate"] + ["SuccessfulCreate"] * 3)
    cluster.expect("count of the failures", [event["count"] for event in cluster.events("FailedCreate")], [3])


@scenario(
    "replicaset/failed-deletes-are-retried",
    must="A failed delete MUST be told in an event and a condition, not be waited for, and be tried again.",
    source=_MANAGE,
    features=("failed-delete", "backoff", "expectations"),
)
async def test_failed_deletes_are_retried(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 3))
    await cluster.settle()
    began = cluster.now
    outage = cluster.faults.error(500, verb="delete", resource="pods", times=None)
    await cluster.scale("web", 0)
    condition = cluster.status()["conditions"][0]
    cluster.expect("condition", (condition["type"], condition["reason"]), ("ReplicaFailure", "FailedDelete"))
    await cluster.run_until(began + 0.1)
    outage.stop()
    refused = {round(at - began, 3): count for at, count in by_instant(cluster, "delete", 500).items()}
    cluster.expect("refused by instant", refused, {0.0: 6, 0.005: 3, 0.025: 3, 0.065: 3})
    await cluster.settle()
    deleted = {round(at - began, 3): count for at, count in by_instant(cluster, "delete", 200).items()}
    cluster.expect("deleted by instant", deleted, {0.145: 3})
    cluster.expect("pods in the end", cluster.pods("web", terminating=True), [])
    cluster.expect("conditions in the end", cluster.status().get("conditions", []), [])
    cluster.expect("count of the failures", [event["count"] for event in cluster.events("FailedDelete")], [15])
