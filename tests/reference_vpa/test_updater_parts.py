"""Parts of the updater's loop: its rate limiter, its cache of pods, its feature gates."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import pytest

from lockstep_reference.vpa.features import CPU_STARTUP_BOOST, IN_PLACE, enabled
from lockstep_reference.vpa.updater.config import UpdaterConfig
from lockstep_reference.vpa.updater.logic.pod_lister import PodLister
from lockstep_reference.vpa.updater.logic.rate_limiter import EvictionRateLimiter, RateLimitError
from lockstep_reference.vpa.updater.main import Main
from tests.machinery.fake_server import World

_SECOND = 10**9


def _waits(limit: float, burst: int, deadline: float, times: int) -> list[float | str]:
    """When each of so many tokens was there, or why not."""
    world = World()
    found: list[float | str] = []

    async def take() -> None:
        limiter = EvictionRateLimiter(limit, burst, world.clock)
        for _ in range(times):
            try:
                await limiter.wait(round(deadline * _SECOND))
            except RateLimitError as error:
                found.append(str(error))
            else:
                found.append(world.now)

    world.run(take())
    return found


_TOO_LATE = "rate: Wait(n=1) would exceed context deadline"


@pytest.mark.parametrize(
    ("limit", "burst", "deadline", "wanted"),
    [
        (-1, 1, 60, [0, 0, 0, 0]),
        (0, 0, 60, [0, 0, 0, 0]),
        (0.5, 1, 60, [0, 2, 4, 6]),
        (0.5, 2, 60, [0, 0, 2, 4]),
        (0.5, 1, 4, [0, 2, 4, "context deadline exceeded"]),
        (0.5, 1, 3, [0, 2, _TOO_LATE, _TOO_LATE]),
        (1, 0, 60, ["rate: Wait(n=1) exceeds limiter's burst 0"] * 4),
        (-1, 1, 0, ["context deadline exceeded"] * 4),
    ],
)
def test_the_rate_limiter(limit: float, burst: int, deadline: float, wanted: list[float | str]) -> None:
    assert _waits(limit, burst, deadline, 4) == wanted


def test_the_cache_of_pods_follows_the_server() -> None:
    world = World()
    world.server.put("a")
    lister = PodLister(world.client, "", world.clock, random.Random(0))

    async def follow() -> list[list[str]]:
        task = asyncio.ensure_future(lister.run())
        seen = []
        for change in (lambda: None, lambda: world.server.put("b"), lambda: world.server.remove("a")):
            change()
            await world.sleep(1)
            seen.append(sorted(each["metadata"]["name"] for each in lister.list()))
        task.cancel()
        return seen

    assert world.run(follow()) == [["a"], ["a", "b"], ["b"]]
    [(_, method, path, query, _)] = world.server.requests
    assert (method, path) == ("WATCH", "/api/v1/pods")
    assert query["fieldSelector"] == "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"


def test_feature_gates() -> None:
    assert not enabled(IN_PLACE, {})
    assert enabled(IN_PLACE, {"InPlace": True})
    assert enabled(CPU_STARTUP_BOOST, {"AllAlpha": True, "InPlace": False})
    assert not enabled(IN_PLACE, {"AllAlpha": True, "InPlace": False})


def test_caches_are_filled_one_after_the_other() -> None:
    world = World()
    main = Main(world.client, world.clock, UpdaterConfig(), random.Random(0), lambda _: None)

    async def program() -> None:
        async with asyncio.TaskGroup() as group:
            await main.run(group)

    async def start() -> None:
        task = asyncio.ensure_future(program())
        await world.sleep(0.05)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    world.run(start())
    asked = list(dict.fromkeys(path for _, _, path, _, _ in world.server.requests))
    assert asked == ["/api/v1/pods", "/apis/autoscaling.k8s.io/v1/verticalpodautoscalers"]
