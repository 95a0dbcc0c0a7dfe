"""Findings (docs/findings.md) that no scenario shows by itself, on the reference."""

from __future__ import annotations

import random

from reference_impl.machinery.backoff import BackoffManager
from reference_impl.machinery.meta import SECOND, format_time
from reference_impl.replicaset.pod import Pod
from reference_impl.replicaset.ranking import ActivePodsWithRanks


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
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": format_time(ready_at * SECOND)}
    return Pod(
        {
            "metadata": {"name": uid, "namespace": "default", "uid": uid, "creationTimestamp": format_time(0)},
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
