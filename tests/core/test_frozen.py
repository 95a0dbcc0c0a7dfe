"""The system clock as third-party code sees it while a virtual loop runs."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import pytest

from lockstep import objects
from lockstep.environments.memory import run_scenario
from lockstep.implementations.registry import open_implementation
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.frozen import frozen
from lockstep.time.clock import EPOCH_NS, SECOND
from tests.core.kit import scenario_of


@pytest.mark.parametrize("spec", ["reference", pytest.param("upstream", marks=pytest.mark.upstream)])
def test_the_system_clock_follows_the_loop(spec: str) -> None:
    shown: list[tuple[float, str]] = []

    async def body(cluster: Cluster) -> None:
        with frozen():
            for after in (0, 90.25, 3600):
                await cluster.run(after)
                shown.append((time.time() - EPOCH_NS / SECOND, datetime.now(UTC).isoformat()))
            await cluster.create(objects.replica_set("web", 1))
            await cluster.settle()
            assert datetime.now(UTC).timestamp() == EPOCH_NS / SECOND + asyncio.get_running_loop().time()
        cluster.expect("pods", len(cluster.pods()), 1)

    implementation = open_implementation(spec, "1.36.3", lambda _: None)
    try:
        result = run_scenario(scenario_of(body), implementation)
    finally:
        implementation.close()
    assert (result.error, result.failure) == ("", "")
    assert shown == [
        (1.0, "2000-01-01T00:00:01+00:00"),
        (91.25, "2000-01-01T00:01:31.250000+00:00"),
        (3691.25, "2000-01-01T01:01:31.250000+00:00"),
    ]
    assert datetime.now(UTC).year > 2000


def test_an_ordinary_loop_has_no_virtual_time_to_show() -> None:
    async def body() -> None:
        with frozen():
            pass

    with pytest.raises(AssertionError, match=r"frozen\(\) needs virtual time"):
        asyncio.run(body())
