"""Each fault does what it says, to any controller."""

from __future__ import annotations

from typing import Any

from lockstep import objects
from lockstep.scenarios.cluster import Cluster
from lockstep.trace.invariants.base import PROMPT_ANSWERS
from tests.core.kit import passing, play


def test_an_error_hits_the_matching_requests_only_and_as_often_as_set() -> None:
    async def body(cluster: Cluster) -> None:
        fault = cluster.faults.error(500, verb="create", resource="pods", times=2, skip=1)
        await cluster.create(objects.replica_set("web", 4))
        await cluster.settle()
        cluster.expect("hits", fault.hits, 2)
        cluster.expect("refused creates", len(cluster.writes("create", "pods", 500)), 2)
        cluster.expect("pods", len(cluster.pods("web")), 4)

    passing(body)


def test_a_timeout_with_effect_leaves_the_object_behind() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.faults.timeout(after=5, effect=True, verb="create", resource="pods")
        await cluster.create(objects.replica_set("web", 1))
        cluster.expect("pods at once", len(cluster.pods("web")), 1)
        await cluster.settle()
        cluster.expect("pods in the end", len(cluster.pods("web")), 1)

    passing(body)


def test_a_timeout_without_effect_leaves_nothing() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.faults.timeout(after=5, verb="create", resource="pods")
        await cluster.create(objects.replica_set("web", 1))
        await cluster.run(4)
        cluster.expect("pods before the answer", len(cluster.pods("web")), 0)
        await cluster.settle()
        cluster.expect("pods in the end", len(cluster.pods("web")), 1)

    passing(body)


def test_latency_delays_the_answer() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.faults.latency(2.0, verb="create", resource="pods")
        await cluster.create(objects.replica_set("web", 1))
        cluster.expect("pods at once", len(cluster.pods("web")), 0)
        await cluster.run(2)
        cluster.expect("pods after two seconds", len(cluster.pods("web")), 1)

    passing(body)


def test_a_broken_connection_reaches_the_controller_as_one() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.faults.disconnect(verb="create", resource="pods")
        await cluster.create(objects.replica_set("web", 1))
        await cluster.settle()
        message = cluster.events("FailedCreate")[0]["message"]
        cluster.expect_true("the text of Go's net/http", message.endswith("connection reset by peer"))

    passing(body)


def test_lag_delays_what_a_watch_shows() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.network.set_lag("replicasets.apps", 7.0)
        await cluster.create(objects.replica_set("web", 1))
        await cluster.run(6.9)
        cluster.expect("pods before", len(cluster.pods("web")), 0)
        await cluster.run(0.1)
        cluster.expect("pods after", len(cluster.pods("web")), 1)

    passing(body)


def test_held_events_arrive_on_release_and_in_order() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.network.hold("replicasets.apps")
        await cluster.create(objects.replica_set("web", 1))
        await cluster.scale("web", 3)
        await cluster.run(1000)
        cluster.expect("pods while held", len(cluster.pods("web")), 0)
        cluster.network.release("replicasets.apps")
        await cluster.run(0)
        cluster.expect("pods after release", len(cluster.pods("web")), 3)

    passing(body)


def test_a_dropped_watch_is_opened_again_without_loss() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.run(5)
        await cluster.drop_watch("replicasets.apps")
        await cluster.create(objects.replica_set("web", 1))
        await cluster.run(60)
        cluster.expect("pods", len(cluster.pods("web")), 1)

    passing(body)


def test_an_expired_watch_lists_again_when_the_server_answers() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.run(5)
        await cluster.expire_watch("replicasets.apps", relist_at=20.0)
        await cluster.create(objects.replica_set("web", 1))
        await cluster.run_until(19.9)
        cluster.expect("pods before the relist", len(cluster.pods("web")), 0)
        await cluster.run_until(21)
        cluster.expect("pods after the relist", len(cluster.pods("web")), 1)

    passing(body)


def test_a_stale_list_shows_the_past_and_the_watch_catches_up() -> None:
    async def body(cluster: Cluster) -> None:
        version = cluster.version
        await cluster.create(objects.replica_set("web", 1))
        await cluster.settle()
        await cluster.crash()
        cluster.network.hold("pods")
        for verb in ("list", "watch"):
            cluster.faults.stale(version, verb=verb, resource="pods")
        await cluster.start()
        await cluster.run(1)
        cluster.expect("a second pod, since the first is not seen", len(cluster.pods("web")), 2)
        cluster.network.release("pods")
        await cluster.settle()
        cluster.expect("pods in the end", len(cluster.pods("web")), 1)

    passing(body)


def test_a_crash_at_a_request_stops_the_controller_there() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.crash_at(verb="create", resource="pods", skip=1, effect=True, restart_after=30.0)
        await cluster.create(objects.replica_set("web", 5))
        await cluster.run(29)
        cluster.expect("pods before the restart", len(cluster.pods("web")), 2)
        await cluster.run(2)
        cluster.expect("pods after it", len(cluster.pods("web")), 5)

    passing(body)


_BOTH: dict[str, Any] = {"id": "hpa/under-test", "controllers": ("hpa", "replicaset")}


def test_one_of_two_controllers_crashes() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1), objects.hpa("web", min_replicas=3))
        await cluster.crash("hpa")
        cluster.expect_true("not all of them run", not cluster.controllers_running)
        await cluster.run(60)
        cluster.expect("pods without the HPA", len(cluster.pods("web")), 1)
        await cluster.start("hpa")
        cluster.expect_true("all of them run", cluster.controllers_running)
        await cluster.crash("replicaset")
        await cluster.run(16)
        cluster.expect("replicas", cluster.get("replicasets", "web")["spec"]["replicas"], 3)
        cluster.expect("pods without the ReplicaSet controller", len(cluster.pods("web")), 1)
        await cluster.start()
        await cluster.run(1)
        cluster.expect("pods in the end", len(cluster.pods("web")), 3)

    passing(body, **_BOTH)


def test_one_of_two_controllers_crashes_at_a_request() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.crash_at("hpa", verb="update", resource="replicasets.apps", subresource="scale", restart_after=10.0)
        await cluster.create(objects.replica_set("web", 1), objects.hpa("web", min_replicas=3))
        await cluster.run(20)
        await cluster.delete("pods", cluster.pods("web")[0]["metadata"]["name"], gracePeriodSeconds=0)
        cluster.expect("pods, which the other one replaces", len(cluster.pods("web")), 1)
        await cluster.run_until(41)
        cluster.expect("pods after the restart", len(cluster.pods("web")), 3)

    passing(body, **_BOTH)


def test_a_controller_that_the_scenario_has_not_cannot_crash() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.crash("hpa")

    problem = "scenario replicaset/under-test has no controller 'hpa', only replicaset"
    assert problem in play(body).error


def test_an_expired_watch_of_two_controllers_lists_again_for_both() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 2))
        await cluster.run(5)
        cluster.network.hold("pods")
        await cluster.delete("pods", cluster.pods("web")[0]["metadata"]["name"], gracePeriodSeconds=0)
        await cluster.expire_watch("pods", relist_at=20.0)
        cluster.network.release("pods")
        await cluster.run_until(19.9)
        cluster.expect("pods before", len(cluster.pods("web")), 1)
        await cluster.run_until(21)
        cluster.expect("pods after", len(cluster.pods("web")), 2)

    passing(body, **_BOTH)


def test_jitter_is_absorbed_by_the_wait_for_the_next_multiple() -> None:
    """A refused scale is written again after 10 to 11 ms, and at 17 + 0.05 s then."""

    async def body(cluster: Cluster) -> None:
        cluster.network.absorb_jitter(0.05, verb="update", resource="replicasets.apps", subresource="scale")
        cluster.faults.error(409, verb="update", resource="replicasets.apps", subresource="scale", times=2)
        await cluster.run(2)
        await cluster.create(objects.replica_set("web", 1), objects.hpa("web", min_replicas=3))
        await cluster.run(20)
        writes = [one for one in cluster.writes("update", "replicasets.apps") if one.subresource == "scale"]
        found = [(cluster.at(one), one.code) for one in writes]
        cluster.expect("scale writes", found, [(17.0, 409), (17.05, 409), (17.1, 200)])

    assert PROMPT_ANSWERS in passing(body, **_BOTH).broken_conditions


def test_requests_at_a_multiple_are_not_held_to_absorb_jitter() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.network.absorb_jitter(0.05, verb="update", resource="replicasets.apps", subresource="scale")
        await cluster.create(objects.replica_set("web", 1), objects.hpa("web", min_replicas=3))
        await cluster.run(20)
        cluster.expect("replicas", cluster.get("replicasets", "web")["spec"]["replicas"], 3)

    assert passing(body, **_BOTH).broken_conditions == frozenset()
