"""StatefulSets and custom resources that keep their pods, and who is managed at all."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from lockstep.world import InTurn, Lifecycle
from tests.world.kit import Object, Town, is_ready, play
from tests.world.test_symmetry import outcome

SETS = "/apis/apps/v1/namespaces/default/statefulsets"
FLEETS = "/apis/example.com/v1/namespaces/default/fleets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"


def names(town: Town) -> list[str]:
    return sorted(one["metadata"]["name"] for one in town.pods() if "deletionTimestamp" not in one["metadata"])


def status(town: Town, resource: str) -> Object:
    found = town.server.find(resource, "default", "web")
    assert found is not None
    return dict(found["status"])


def resize(town: Town, path: str, replicas: int) -> None:
    town.send("PATCH", f"{path}/web/scale", {"spec": {"replicas": replicas}}, MERGE)


def test_no_kind_is_managed_by_default() -> None:
    async def body(town: Town) -> None:
        town.send("POST", SETS, objects.stateful_set(replicas=2))
        await town.rest()
        assert names(town) == []
        town.world.owners.manage("statefulsets")  # those that exist are taken over
        await town.rest()
        assert names(town) == ["web-0", "web-1"]

    play(body)


@pytest.mark.parametrize("resource", ["pods", "deployment", "fleets.example.com", "nodes"])
def test_what_cannot_be_managed_is_refused(resource: str) -> None:
    async def body(town: Town) -> None:
        with pytest.raises(ValueError, match="whose definition exists and has a scale subresource"):
            town.world.owners.manage(resource)

    play(body)


# -- stateful sets ----------------------------------------------------------------------------------------------------


def test_a_stateful_set_grows_and_shrinks_one_by_one() -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage("statefulsets")
        town.send("POST", SETS, objects.stateful_set(replicas=3))
        grown = []
        for _ in range(4):
            await town.sleep(0.1)
            grown.append(names(town))
            await town.sleep(2.4)  # ready after 2 s
        assert grown == [["web-0"], ["web-0", "web-1"], ["web-0", "web-1", "web-2"], ["web-0", "web-1", "web-2"]]
        assert status(town, "statefulsets.apps")["readyReplicas"] == 3
        resize(town, SETS, 1)
        await town.sleep(0.5)
        assert names(town) == ["web-0", "web-1"]
        await town.sleep(1)  # the first has ended
        assert names(town) == ["web-0"]
        await town.rest()
        assert {key: status(town, "statefulsets.apps")[key] for key in ("replicas", "observedGeneration")} == {
            "replicas": 1,
            "observedGeneration": 2,
        }

    play(body)


def test_a_parallel_stateful_set_does_all_at_once() -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage("statefulsets")
        town.send("POST", SETS, objects.stateful_set(replicas=3, podManagementPolicy="Parallel"))
        await town.sleep(0.1)
        assert len(names(town)) == 3
        resize(town, SETS, 0)
        await town.sleep(0.1)
        assert names(town) == []

    play(body)


def test_a_stateful_set_waits_for_a_sick_pod_and_replaces_a_failed_one() -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage("statefulsets")
        town.kubelet.lifecycles.for_labels(
            {"statefulset.kubernetes.io/pod-name": "web-1"}, Lifecycle(ready_after=60, fails_after=90)
        )
        town.send("POST", SETS, objects.stateful_set(replicas=3))
        await town.sleep(50)
        assert names(town) == ["web-0", "web-1"]
        await town.sleep(30)
        assert names(town) == ["web-0", "web-1", "web-2"]
        first = town.server.find("pods", "default", "web-1")
        await town.sleep(30)
        second = town.server.find("pods", "default", "web-1")
        assert first is not None
        assert second is not None
        assert first["metadata"]["uid"] != second["metadata"]["uid"]

    play(body)


def test_a_stateful_set_is_updated_from_the_top() -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage("statefulsets")
        town.send("POST", SETS, objects.stateful_set(replicas=3))
        await town.sleep(30)
        before = {one["metadata"]["name"]: one["metadata"]["uid"] for one in town.pods()}
        template = objects.pod_template(objects.labels_of("web"), terminationGracePeriodSeconds=5)
        town.send("PATCH", f"{SETS}/web", {"spec": {"template": template}}, MERGE)
        replaced: list[str] = []
        for _ in range(200):
            await town.sleep(0.25)
            for one in town.pods():
                name = one["metadata"]["name"]
                if one["metadata"]["uid"] != before[name] and name not in replaced:
                    replaced.append(name)
        assert replaced == ["web-2", "web-1", "web-0"]
        found = status(town, "statefulsets.apps")
        assert (found["updatedReplicas"], found["currentReplicas"], found["readyReplicas"]) == (3, 3, 3)

    play(body)


# -- custom resources -------------------------------------------------------------------------------------------------


def fleet(town: Town, replicas: int | None, **spec: Any) -> None:
    town.send("POST", DEFINITIONS, objects.definition("Fleet"))
    town.world.owners.manage("fleets.example.com")
    town.send("POST", FLEETS, objects.custom("Fleet", "web", replicas, **spec))


def test_a_custom_resource_keeps_its_pods_and_says_so() -> None:
    async def body(town: Town) -> None:
        fleet(town, 3)
        await town.sleep(10)
        assert len(names(town)) == 3
        assert status(town, "fleets.example.com") == {"replicas": 3, "readyReplicas": 3, "selector": "app=web"}
        town.delete(town.pods()[0])
        await town.sleep(0.1)
        assert status(town, "fleets.example.com")["readyReplicas"] == 2
        await town.rest()
        assert status(town, "fleets.example.com")["readyReplicas"] == 3
        resize(town, FLEETS, 1)
        await town.rest()
        assert len(names(town)) == 1

    play(body)


def test_a_custom_resource_gives_up_unready_pods_first() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.for_owner("web", Lifecycle(ready_after=(2, 100, 100)))
        fleet(town, 3)
        await town.sleep(10)
        resize(town, FLEETS, 1)
        await town.sleep(5)
        assert [is_ready(one) for one in town.pods()] == [True]

    play(body)


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_the_rest_fares_alike_whichever_equal_pod_goes(victim: int) -> None:
    """The world's rule: an operator does not distinguish pods that look alike."""

    def after(index: int) -> list[Any]:
        async def body(town: Town) -> None:
            town.kubelet.lifecycles.for_owner("web", InTurn(Lifecycle(), Lifecycle(ready_after=9)))
            fleet(town, 4)
            await town.sleep(10)
            town.delete(town.pods()[index])
            await town.sleep(5)
            resize(town, FLEETS, 2)
            await town.rest()

        return outcome(play(body))

    assert after(victim) == after(3)


def test_a_custom_resource_that_wants_no_number_is_left_alone() -> None:
    async def body(town: Town) -> None:
        fleet(town, None)
        await town.rest()
        assert names(town) == []

    play(body)


def test_the_pods_go_with_their_owner() -> None:
    async def body(town: Town) -> None:
        fleet(town, 3)
        await town.sleep(10)
        town.send("DELETE", f"{FLEETS}/web", {"kind": "DeleteOptions", "apiVersion": "v1"})
        await town.rest()
        assert town.pods() == []

    play(body)


def test_what_a_quota_refuses_is_tried_again() -> None:
    async def body(town: Town) -> None:
        quota = objects.resource_quota("few", {"pods": "2"})
        town.send("POST", "/api/v1/namespaces/default/resourcequotas", quota)
        fleet(town, 3)
        await town.rest()
        assert len(names(town)) == 2
        town.send("DELETE", "/api/v1/namespaces/default/resourcequotas/few")
        await town.sleep(20)
        assert len(names(town)) == 3

    play(body)


def test_a_late_owner() -> None:
    async def body(town: Town) -> None:
        town.world.owners.delay = 3
        fleet(town, 2)
        await town.sleep(2.999)
        assert names(town) == []
        await town.sleep(0.001)
        assert len(names(town)) == 2

    play(body)
