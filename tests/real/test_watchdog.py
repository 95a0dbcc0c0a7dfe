"""The watchdog reports a death once, and nothing while all is well."""

from __future__ import annotations

import threading

from lockstep.clusters.real.watchdog import Watchdog


def test_a_death_is_reported_once() -> None:
    reported: list[str] = []
    buried = threading.Event()

    def bury(reason: str) -> None:
        reported.append(reason)
        buried.set()

    with Watchdog(lambda: "etcd was killed", bury):
        assert buried.wait(10)
    assert reported == ["etcd was killed"]


def test_nothing_is_reported_while_all_is_well() -> None:
    reported: list[str] = []
    looked = threading.Semaphore(0)

    def death() -> str:
        looked.release()
        return ""

    with Watchdog(death, reported.append):
        looked.acquire()
        looked.acquire()
    assert reported == []
