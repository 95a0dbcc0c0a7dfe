"""Memory that grows, and what becomes of containers that use more than their limit."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.metrics import MetricsError, each, peaks, per_ready, ramp, shared
from lockstep.objects import container
from lockstep.wire.quantity import parse_quantity
from tests.metrics.kit import Metered, play


def limited(limit: str | None = "100Mi") -> dict[str, Any]:
    return {"containers": [container(resources={"limits": {"memory": limit}} if limit else {})]}


def restarts(town: Metered) -> list[int]:
    return [one["status"]["containerStatuses"][0]["restartCount"] for one in town.pods()]


def test_a_leak_ends_at_the_limit() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", memory=each("40Mi", growth=ramp(0, 100, 0, "100Mi")), oom=True)
        town.pod("a", **limited())
        town.pod("b", **limited(None))
        await town.until(64)
        assert restarts(town) == [0, 0]
        assert _memory(town, "a") == 40 * 2**20 + 60 * 2**20  # measured at 60 s
        await town.until(66)  # above 60 Mi of growth at 65 s
        assert sorted(restarts(town)) == [0, 0]
        await town.until(67)
        assert sorted(restarts(town)) == [0, 1]
        await town.until(150)
        assert sorted(restarts(town)) == [0, 2]

    play(body)


def _memory(town: Metered, name: str) -> float:
    reported = town.answer(f"/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/{name}")
    return float(parse_quantity(reported["containers"][0]["usage"]["memory"]).exact())


def test_a_peak_kills() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", memory=each(peaks("50Mi", "200Mi", every=3600, lasting=60, first=600)), oom=True)
        town.pod("a", **limited())
        await town.until(599)
        assert restarts(town) == [0]
        await town.until(602)
        assert restarts(town) == [1]

    play(body)


def test_a_load_that_has_stopped_kills_no_container() -> None:
    async def body(town: Metered) -> None:
        load = town.metrics.load("web", memory=each(0, growth=ramp(0, 100, 0, "200Mi")), oom=True)
        town.pod("a", **limited())
        await town.until(40)
        load.stop()
        await town.until(500)
        assert restarts(town) == [0]

    play(body)


def test_days_until_the_limit() -> None:
    async def body(town: Metered) -> None:
        town.metrics.load("web", memory=each(0, growth=ramp(0, 200_000, 0, "200Mi")), oom=True)
        town.pod("a", **limited())
        await town.until(100_000)
        assert restarts(town) == [0]
        await town.until(100_010)
        assert restarts(town) == [1]

    play(body)


@pytest.mark.parametrize("memory", [shared("1Gi"), each("1Gi", noise=0.1), each(per_ready("web", lambda _, n: n))])
def test_memory_of_one_container_must_be_its_own(memory: object) -> None:
    async def body(town: Metered) -> None:
        with pytest.raises(MetricsError, match="oom=True"):
            town.metrics.load("web", memory=memory, oom=True)  # type: ignore[arg-type]

    play(body)


def test_peaks_must_end() -> None:
    with pytest.raises(MetricsError, match="a peak must end"):
        peaks(0, 1, every=10, lasting=11)
    curve = peaks(1, 5, every=10, lasting=2, first=3)
    assert [curve(at) for at in (0, 2.9, 3, 4.9, 5, 12.9, 13, 14.9, 15)] == [1, 1, 5, 5, 1, 1, 5, 5, 1]
