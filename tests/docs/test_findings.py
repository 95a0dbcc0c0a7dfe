"""Findings (docs/findings.md) that no scenario shows by itself, on the reference."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from lockstep import objects
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations.reference import Reference
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Scenario
from lockstep.trace.normalise import normalise
from lockstep.wire.gotime import SECOND, rfc3339
from lockstep_reference.machinery.backoff import BackoffManager
from lockstep_reference.replicaset.pod import Pod
from lockstep_reference.replicaset.ranking import ActivePodsWithRanks

Body = Callable[[Cluster], Awaitable[None]]


class NoJitter(random.Random):
    def random(self) -> float:
        return 0.0


class SetClock:
    def __init__(self) -> None:
        self.instant = 0

    def now(self) -> int:
        return self.instant


def test_the_back_off_starts_over_two_minutes_after_it_last_did() -> None:
    clock = SetClock()
    backoff = BackoffManager(clock, NoJitter())
    delays = []
    for _ in range(5):
        clock.instant += 50 * SECOND
        delays.append(backoff.step())
    # It was made at 0. At 150 s more than two minutes have passed, though the last failure was 50 s ago.
    assert delays == [0.8, 1.6, 0.8, 1.6, 3.2]


def ready_pod(uid: str, ready_at: int, restarts: int) -> Pod:
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": rfc3339(ready_at * SECOND)}
    return Pod(
        {
            "metadata": {"name": uid, "namespace": "default", "uid": uid, "creationTimestamp": rfc3339(0)},
            "spec": {"nodeName": "node-1"},
            "status": {
                "phase": "Running",
                "conditions": [ready],
                "containerStatuses": [{"name": "main", "restartCount": restarts}],
            },
        }
    )


def test_the_order_of_deletion_can_go_round_in_a_circle() -> None:
    a, b, c = ready_pod("uid-2", 100, 0), ready_pod("uid-3", 110, 7), ready_pod("uid-1", 110, 0)
    ranking = ActivePodsWithRanks([a, b, c], [1, 1, 1], now=1000 * SECOND)
    assert ranking.less(0, 1)  # by uid: both ages fall into one power of two
    assert ranking.less(1, 2)  # by restarts: they got ready in the same second
    assert ranking.less(2, 0)  # by uid again
    first = {
        ActivePodsWithRanks([x, y, z], [1, 1, 1], now=1000 * SECOND).sorted()[0].uid
        for x, y, z in ((a, b, c), (b, c, a), (c, a, b), (a, c, b), (c, b, a), (b, a, c))
    }
    assert len(first) > 1


def play(body: Body) -> RunResult:
    result = run_scenario(Scenario("replicaset/finding", "It MUST be so.", ("docs/findings.md",), body), Reference())
    assert (result.error, result.failure) == ("", "")
    return result


def test_events_of_one_instant_are_all_stored_under_names_of_their_own() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 3))
        names = [event["metadata"]["name"] for event in cluster.events("SuccessfulCreate")]
        cluster.expect("names", names, [names[0], f"{names[0]}.1", f"{names[0]}.2"])
        cluster.expect("refused", [write for write in cluster.writes("create", "events") if write.failed], [])

    play(body)


def test_a_combined_event_is_counted_on_the_first_of_its_instant() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 11))
        reported = [(event["message"].startswith("(combined"), event["count"]) for event in cluster.events()]
        # The tenth is the first combined one and is stored apart; the eleventh counts it up, under the client's name.
        cluster.expect("combined, count", reported, [(True, 2), *[(False, 1)] * 8, (True, 1)])

    play(body)


def test_the_name_of_a_refused_pod_is_a_symbol_in_its_message() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.resource_quota("small", {"pods": "0"}), objects.replica_set("web", 1))
        refused = cluster.writes("create", "pods", 403)
        cluster.expect_true("the message names the pod", refused and refused[0].name in refused[0].message)

    result = play(body)
    trace = normalise(result.history, result.start_instant)
    said = [write["message"] for instant in trace.instants for write in instant.get("writes", ())]
    assert said
    assert all('"web#?"' in message for message in said)
