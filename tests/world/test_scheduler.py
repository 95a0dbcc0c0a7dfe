"""The scheduler binds pending pods, spreading those of one workload."""

from __future__ import annotations

from collections import Counter

from lockstep.objects import deployment
from lockstep.world import nowhere
from tests.world.kit import Object, Town, condition, phase, play


def nodes_of(town: Town) -> Counter[str]:
    return Counter(one["spec"].get("nodeName", "") for one in town.server.objects("pods"))


def test_pods_of_a_workload_spread_over_all_nodes() -> None:
    async def body(town: Town) -> None:
        town.pods_of(town.owner(), 7)
        await town.sleep(0)
        await town.rest()
        assert sorted(nodes_of(town).values()) == [2, 2, 3]

    play(body)


def test_new_pods_go_where_fewest_are_left() -> None:
    async def body(town: Town) -> None:
        web = town.owner()
        pods = town.pods_of(web, 3)
        await town.rest()
        emptied = town.now(pods[1])["spec"]["nodeName"]
        town.delete(pods[1], gracePeriodSeconds=0)
        (new,) = town.pods_of(web)
        await town.rest()
        assert town.now(new)["spec"]["nodeName"] == emptied

    play(body)


def test_two_workloads_are_spread_each_for_itself() -> None:
    async def body(town: Town) -> None:
        for name in ("a", "b", "c"):
            town.pods_of(town.owner(name), 1)
        await town.rest()
        assert nodes_of(town) == {"node-1": 3}

    play(body)


def test_replica_sets_of_one_deployment_are_one_workload() -> None:
    async def body(town: Town) -> None:
        top = town.send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("top"))
        for name in ("old", "new", "newer"):
            town.pods_of(town.owner(name, owner=top), 1)
            await town.rest()
        assert sorted(nodes_of(town)) == ["node-1", "node-2", "node-3"]

    play(body)


def test_the_world_survives_the_end_of_its_watches() -> None:
    async def body(town: Town) -> None:
        await town.rest()
        (one,) = town.pods_of(None)
        town.server.close_watches()
        (two,) = town.pods_of(None)
        await town.rest()
        assert [phase(town.now(pod)) for pod in (one, two)] == ["Running", "Running"]

    play(body)


def test_what_is_planned_can_be_asked() -> None:
    async def body(town: Town) -> None:
        await town.rest()
        assert town.world.next_due() is None
        town.pods_of(None)
        assert town.world.next_due() == 0
        await town.sleep(0.5)
        assert town.world.next_due() == 10**9
        await town.sleep(5)
        assert not town.world.pending()

    play(body)


def test_delay_is_kept() -> None:
    async def body(town: Town) -> None:
        town.world.scheduler.delay = 4.0
        (one,) = town.pods_of(None)
        await town.sleep(3.5)
        assert "nodeName" not in town.now(one)["spec"]
        await town.sleep(0.5)
        await town.sleep(0)
        assert town.now(one)["spec"]["nodeName"] == "node-1"
        assert condition(town.now(one), "PodScheduled")["lastTransitionTime"] == "2000-01-01T00:00:04Z"

    play(body)


def test_an_unschedulable_pod_says_so_once_and_is_tried_again() -> None:
    async def body(town: Town) -> None:
        town.world.scheduler.place = nowhere
        (one,) = town.pods_of(None)
        await town.rest()
        scheduled = condition(town.now(one), "PodScheduled")
        assert (scheduled["status"], scheduled["reason"]) == ("False", "Unschedulable")
        assert scheduled["message"] == "0/3 nodes are available"
        assert phase(town.now(one)) == "Pending"
        assert not town.world.pending()
        town.world.scheduler.retry()
        await town.rest()
        town.world.scheduler.place = None
        await town.rest()
        assert condition(town.now(one), "PodScheduled")["status"] == "True"
        assert phase(town.now(one)) == "Running"

    assert len(play(body).writes("scheduler", "patch")) == 1


def test_a_scenario_can_choose_the_node() -> None:
    async def body(town: Town) -> None:
        def only_two(one: Object) -> str | None:
            return "node-2"

        town.world.scheduler.place = only_two
        town.pods_of(town.owner(), 3)
        await town.rest()
        assert nodes_of(town) == {"node-2": 3}

    play(body)


def test_a_pod_waits_for_a_node_that_takes_it() -> None:
    async def body(town: Town) -> None:
        town.send("PATCH", "/api/v1/nodes/node-1", {"spec": {"unschedulable": True}}, "application/merge-patch+json")
        await town.rest()
        (one,) = town.pods_of(None)
        await town.rest()
        assert condition(town.now(one), "PodScheduled")["status"] == "False"
        town.send("PATCH", "/api/v1/nodes/node-1", {"spec": {"unschedulable": None}}, "application/merge-patch+json")
        await town.rest()
        assert town.now(one)["spec"]["nodeName"] == "node-1"

    play(body, nodes=1)


def test_gated_and_foreign_pods_are_left_alone() -> None:
    async def body(town: Town) -> None:
        (gated,) = town.pods_of(None, schedulingGates=[{"name": "example.com/wait"}])
        (foreign,) = town.pods_of(None, schedulerName="other")
        await town.rest()
        assert "nodeName" not in town.now(gated)["spec"]
        assert "nodeName" not in town.now(foreign)["spec"]

    play(body)
