"""The world never lets the accident of a name, or of which equal pod a controller deleted, show."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from lockstep.objects import container
from lockstep.world import Group, InTurn, Lifecycle, Lifecycles, Seeded, canonical_order, pick
from lockstep.world.canonical import rank_nodes, state_key
from tests.world.kit import Object, Town, condition, is_ready, play


def outcome(town: Town) -> list[Any]:
    """What can be observed of the pods, without names; nodes only by who shares them."""
    pods = town.server.objects("pods")
    mates: dict[str, list[Any]] = {}
    for one in pods:
        mates.setdefault(one["spec"].get("nodeName", ""), []).append(state_key(one))
    return sorted((state_key(one), sorted(mates[one["spec"].get("nodeName", "")])) for one in pods)


def after_deleting(victims: Sequence[int], seed: int = 0) -> list[Any]:
    """Five equal pods, two nodes with two of them each; some of those four are deleted, three pods follow later."""

    async def body(town: Town) -> None:
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "top", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": _template()},
        }
        top = town.send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment)
        web = town.owner(owner=top)
        first = Lifecycle(ready_after=(2, 3, 4, 5, 6), fails_after=(30,))
        town.kubelet.lifecycles.for_owner("web", InTurn(first, Lifecycle(ready_after=(20, 25))))
        pods = town.pods_of(web, 5)
        await town.sleep(0.5)
        doubled = [one for one in pods if _shares_node(town, one)]
        for index in victims:
            town.delete(doubled[index])
        await town.sleep(10)
        town.pods_of(web, 3)
        await town.rest()

    return outcome(play(body, seed=seed))


@pytest.mark.parametrize(
    "equivalent",
    [((0,), (1,), (2,), (3,)), ((0, 1), (0, 3), (2, 1), (2, 3)), ((0, 2), (1, 3))],
    ids=["one", "two of two nodes", "two of one node"],
)
def test_the_rest_fares_alike_whichever_equal_pods_are_deleted(equivalent: Sequence[Sequence[int]]) -> None:
    expected, *others = [after_deleting(victims) for victims in equivalent]
    assert len(expected) == 8 - len(equivalent[0])
    assert all(other == expected for other in others)


def test_names_make_no_difference() -> None:
    assert after_deleting((0,), seed=1) == after_deleting((0,), seed=2)


def _template() -> Object:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "i"}]}}


def _shares_node(town: Town, one: Object) -> bool:
    node: str = town.now(one)["spec"]["nodeName"]
    mates = [other for other in town.server.objects("pods") if other["spec"]["nodeName"] == node]
    return len(mates) == 2


def test_staggered_times_are_not_assigned_beforehand() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(ready_after=(3, 5, 7))
        pods = town.pods_of(town.owner(), 3)
        await town.sleep(4)
        assert sum(is_ready(town.now(one)) for one in pods) == 1
        waiting = [one for one in pods if not is_ready(town.now(one))]
        town.delete(waiting[0])
        await town.sleep(2)
        assert sum(is_ready(one) for one in town.pods()) == 2
        await town.rest()
        assert town.at == 7
        times = sorted(condition(one, "Ready")["lastTransitionTime"][-3:] for one in town.pods())
        assert times == ["03Z", "05Z"]

    play(body)


def test_one_pod_of_a_group_can_fail_or_succeed() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(fails_after=(5,), succeeds_after=(6, 7))
        town.pods_of(town.owner(), 5)
        await town.rest()
        phases = sorted(one["status"]["phase"] for one in town.pods())
        assert phases == ["Failed", "Running", "Running", "Succeeded", "Succeeded"]

    play(body)


def test_all_pods_that_are_due_together_change_in_one_step() -> None:
    async def body(town: Town) -> None:
        town.pods_of(town.owner(), 50)
        await town.sleep(1.5)
        seen: list[int] = []
        step = town.loop.world_at

        def count(instant: int, callback: Any) -> Any:
            seen.append(instant)
            return step(instant, callback)

        town.loop.world_at = count  # type: ignore[method-assign]
        await town.rest()
        assert all(map(is_ready, town.pods()))
        assert len(seen) <= 3

    play(body)


def test_a_draw_depends_on_the_group_alone() -> None:
    def draws(order: list[Group]) -> dict[tuple[str, int], Lifecycle]:
        source = Seeded(random.Random(7), start=(0, 2), ready=(1, 5), stop=(0, 3), failing=0.5)
        return {(group.owner, group.sequence): source(group) for group in order}

    groups = [Group("default", owner, {}, sequence, 3) for owner in ("a", "b") for sequence in range(20)]
    drawn = draws(groups)
    assert drawn == draws(groups[::-1])
    assert len({life.ready_after for life in drawn.values()}) > 30
    assert {life.fails_after is None for life in drawn.values()} == {True, False}


def test_a_growing_group_keeps_its_draws() -> None:
    source = Seeded(random.Random(1), start=(0, 2), staggered=True)
    small, large = (source(Group("default", "a", {}, 0, size)) for size in (2, 5))
    assert small.start_after == large.start_after
    assert isinstance(small.ready_after, tuple)
    assert isinstance(large.ready_after, tuple)
    assert large.ready_after[:2] == small.ready_after
    assert len(large.ready_after) == 5


def test_seeded_lifecycles_run_and_repeat() -> None:
    def run(seed: int) -> list[Any]:
        async def body(town: Town) -> None:
            town.kubelet.lifecycles.default = Seeded(town.kubelet.rng, ready=(1, 30), staggered=True)
            town.pods_of(town.owner(), 6)
            await town.rest()
            assert all(map(is_ready, town.pods()))

        return outcome(play(body, seed=seed))

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_the_last_rule_that_matches_wins() -> None:
    first, second, third = (Lifecycle(start_after=after) for after in (1, 2, 3))
    rules = Lifecycles()
    rules.default = first
    rules.for_owner("web", second)
    assert rules.source(Group("default", "web", {}, 0)) is second
    assert rules.source(Group("other", "web", {}, 0)) is first
    rules.for_labels({"a": "1"}, third)
    assert rules.source(Group("default", "web", {"a": "1", "b": "2"}, 0)) is third
    assert rules.source(Group("default", "web", {"a": "2"}, 0)) is second


def _pod(uid: str, node: str, ready: str = "", restarts: int = 0) -> Object:
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": ready}] if ready else []
    status = {"phase": "Running", "conditions": conditions, "containerStatuses": [{"restartCount": restarts}]}
    return {"metadata": {"name": uid[::-1], "uid": uid}, "spec": {"nodeName": node}, "status": status}


def test_the_canonical_order_looks_at_state_then_neighbours_then_uid() -> None:
    unready, early, late = _pod("9", "a"), _pod("8", "b", ready="1"), _pod("7", "c", ready="2")
    restarted = _pod("6", "d", ready="2", restarts=1)
    assert canonical_order([restarted, late, early, unready]) == [unready, early, late, restarted]
    alone, together, mate = _pod("3", "z"), _pod("1", "y"), _pod("2", "y")
    assert canonical_order([together, mate, alone]) == [alone, together, mate]
    assert pick([together, mate, alone], -1) is mate


def test_nodes_rank_equal_when_their_pods_are() -> None:
    ranks = rank_nodes(
        {
            "a": [_pod("1", "a"), _pod("2", "a", ready="1")],
            "b": [_pod("3", "b", ready="1"), _pod("4", "b")],
            "c": [_pod("5", "c")],
            "d": [_pod("6", "d", ready="1")],
        }
    )
    assert ranks == {"c": 0, "d": 1, "a": 2, "b": 2}


def test_a_resized_pod_is_another_one() -> None:
    async def body(town: Town) -> None:
        sizes: dict[str, Any] = {"resources": {"requests": {"cpu": "1"}}}
        pods = town.pods_of(town.owner(), 3, containers=[container(**sizes)])
        await town.sleep(10)
        patch = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]}}
        for one in (pods[0], pods[2]):
            town.send("PATCH", f"{town.path(one)}/resize", patch, "application/strategic-merge-patch+json")
        await town.rest()
        assert pick(town.pods(), 0)["metadata"]["uid"] == pods[1]["metadata"]["uid"]

    play(body)
