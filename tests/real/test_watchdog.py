"""The watchdog tells of a death once, and of nothing while all is well."""

from __future__ import annotations

import threading

from lockstep.clusters.real.watchdog import Watchdog


def test_a_death_is_told_once() -> None:
    told: list[str] = []
    buried = threading.Event()

    def bury(reason: str) -> None:
        told.append(reason)
        buried.set()

    with Watchdog(lambda: "etcd was killed", bury):
        assert buried.wait(10)
    assert told == ["etcd was killed"]


def test_nothing_is_told_of_the_living() -> None:
    told: list[str] = []
    looked = threading.Semaphore(0)

    def death() -> str:
        looked.release()
        return ""

    with Watchdog(death, told.append):
        looked.acquire()
        looked.acquire()
    assert told == []
