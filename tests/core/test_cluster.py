"""The cluster fixture: time, assertions and what happens when a scenario misbehaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lockstep import objects
from lockstep.scenarios.cluster import ApiFailure, Cluster
from tests.core.kit import passing, play


def test_settle_ends_when_nothing_changes_any_more() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 2))
        await cluster.settle()
        cluster.expect("ready pods", cluster.ready("web"), 2)

    assert passing(body).virtual_seconds == 20


def test_a_cluster_that_never_settles_is_an_error_with_its_last_write() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1), objects.resource_quota("none", {"pods": "0"}))
        for _ in range(3):
            await cluster.scale("web", 1)
        while True:
            await cluster.settle(calm=1000.0, limit=1.0)
            await cluster.create(objects.pod(f"pod-{cluster.now:g}"))

    assert "the scenario does not end" in play(body, horizon=20_000.0).error


def test_eventually_sees_the_first_moment_and_never_does_not() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.create(objects.replica_set("web", 1))
        await cluster.eventually("a pod is ready", lambda: cluster.ready("web") == 1, within=30)
        cluster.expect("the moment", cluster.now, 2.0)
        await cluster.never("a second pod", lambda: len(cluster.pods("web")) > 1, during=60)
        cluster.expect("the moment", cluster.now, 62.0)

    assert passing(body).assertions == 4


def line_of(body: Any, after: int) -> str:
    """The line so many below the first one of a scenario's body."""
    return f"{Path(__file__).relative_to(Path.cwd())}:{body.__code__.co_firstlineno + after}"


def test_a_failed_expectation_names_both_values_and_the_moment() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.run(1.5)
        cluster.expect("pods", 2, 3)

    assert play(body).failure == f"pods: expected 3, got 2 (at +1.500 s, {line_of(body, 2)})"


def test_eventually_fails_with_its_limit() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.eventually("the moon turns blue", lambda: False, within=5)

    assert play(body).failure == f"the moon turns blue: did not come true within 5 s (at +5.000 s, {line_of(body, 1)})"


def test_a_refused_write_is_an_error_of_the_scenario() -> None:
    async def body(cluster: Cluster) -> None:
        await cluster.delete("pods", "nobody")

    assert play(body).error.endswith(f'pods "nobody" not found ({line_of(body, 1)})')


def test_a_scenario_can_expect_a_refusal() -> None:
    async def body(cluster: Cluster) -> None:
        try:
            await cluster.delete("pods", "nobody")
        except ApiFailure as refused:
            cluster.expect("code", refused.code, 404)

    assert passing(body).assertions == 1


def test_any_other_exception_is_an_error_with_its_place() -> None:
    async def body(cluster: Cluster) -> None:
        raise ZeroDivisionError("oh")

    assert play(body).error == f"ZeroDivisionError: oh ({line_of(body, 1)})"


def test_an_error_inside_of_the_harness_is_placed_where_the_scenario_called_it() -> None:
    async def body(cluster: Cluster) -> None:
        cluster.get("pods", "nobody")

    assert play(body).error.endswith(f"({line_of(body, 1)})")


def test_writes_in_a_batch_are_seen_together() -> None:
    async def body(cluster: Cluster) -> None:
        async with cluster.batch():
            await cluster.create(objects.pod("orphan", objects.labels_of("web")))
            await cluster.create(objects.replica_set("web", 1))
        cluster.expect("pods created", len(cluster.writes("create", "pods")), 0)

    passing(body)
