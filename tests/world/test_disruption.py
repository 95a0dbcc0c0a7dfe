"""The disruption controller: the status of PodDisruptionBudgets."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep import objects
from lockstep.apiserver import Request
from lockstep.world import Lifecycle, pick
from tests.world.kit import Object, Town, play

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


def budget(town: Town, **spec: Any) -> Object:
    return town.send("POST", BUDGETS, objects.pdb("web", **spec))


def counts(town: Town) -> tuple[int, int, int, int]:
    """Allowed, healthy, desired, expected."""
    status = town.server.objects("poddisruptionbudgets.policy")[0]["status"]
    return (
        status["disruptionsAllowed"],
        status["currentHealthy"],
        status["desiredHealthy"],
        status["expectedPods"],
    )


def evict(town: Town, pod: Object) -> int:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod["metadata"]["name"]}}

    return town.server.handle(Request("POST", f"{town.path(pod)}/eviction", body=body)).status


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"min_available": 3}, (1, 4, 3, 4)),
        ({"min_available": 5}, (0, 4, 5, 4)),
        ({"min_available": "50%"}, (1, 4, 3, 5)),  # of the five that the owner wants, rounded up
        ({"max_unavailable": 1}, (0, 4, 4, 5)),
        ({"max_unavailable": "30%"}, (1, 4, 3, 5)),
        ({"max_unavailable": 9}, (4, 4, 0, 5)),
        ({}, (4, 4, 0, 0)),
    ],
)
def test_what_a_budget_allows(spec: dict[str, Any], wanted: tuple[int, int, int, int]) -> None:
    async def body(town: Town) -> None:
        owner = town.owner()
        town.send(
            "PUT",
            "/apis/apps/v1/namespaces/default/replicasets/web",
            {**owner, "spec": {**owner["spec"], "replicas": 5}},
        )
        town.pods_of(owner, 4)
        budget(town, **spec)
        await town.rest()
        allowed = wanted if wanted[3] else (0, *wanted[1:])
        assert counts(town) == allowed

    play(body)


def test_evictions_use_a_budget_up_until_pods_are_back() -> None:
    async def body(town: Town) -> None:
        owner = town.owner()
        town.pods_of(owner, 3)
        budget(town, min_available=2)
        await town.rest()
        assert evict(town, pick(town.pods())) == 201
        assert evict(town, pick([one for one in town.pods() if "deletionTimestamp" not in one["metadata"]])) == 429
        await town.rest()
        assert counts(town) == (0, 2, 2, 2)
        town.pods_of(owner, 1)
        await town.rest()
        assert counts(town) == (1, 3, 2, 3)
        status = town.server.objects("poddisruptionbudgets.policy")[0]["status"]
        assert "disruptedPods" not in status
        [verdict] = status["conditions"]
        assert (verdict["type"], verdict["status"], verdict["reason"]) == (
            "DisruptionAllowed",
            "True",
            "SufficientPods",
        )

    play(body)


def test_a_disruption_that_does_not_come_is_forgotten() -> None:
    async def body(town: Town) -> None:
        pod = town.pods_of(town.owner(), 2)[0]
        made = budget(town, min_available=1)
        await town.rest()
        name = pod["metadata"]["name"]
        now = town.server.find("poddisruptionbudgets.policy", "default", "web")
        assert now is not None
        status = {**now["status"], "disruptedPods": {name: "2000-01-01T00:00:02Z"}}
        town.send("PUT", f"{BUDGETS}/web/status", {**made, "metadata": now["metadata"], "status": status})
        await town.sleep(1)
        assert counts(town) == (0, 1, 1, 2)
        await town.sleep(122 - town.at)
        assert counts(town) == (1, 2, 1, 2)

    play(body)


def test_owners_without_a_scale_cannot_be_counted() -> None:
    async def body(town: Town) -> None:
        owner = town.send("POST", "/apis/apps/v1/namespaces/default/daemonsets", objects.daemon_set())
        town.pods_of(owner, 1)
        budget(town, max_unavailable=1)
        await town.rest()
        [verdict] = town.server.objects("poddisruptionbudgets.policy")[0]["status"]["conditions"]
        assert (verdict["status"], verdict["reason"]) == ("False", "SyncFailed")
        assert verdict["message"] == "daemonsets.apps does not implement the scale subresource"
        assert counts(town)[0] == 0

    play(body)


def test_a_deployment_counts_for_its_replica_sets() -> None:
    async def body(town: Town) -> None:
        deployment = town.send("POST", "/apis/apps/v1/namespaces/default/deployments", objects.deployment("web", 7))
        town.pods_of(town.owner(owner=deployment), 2)
        budget(town, max_unavailable=1)
        await town.rest()
        assert counts(town) == (0, 2, 6, 7)

    play(body)


def test_it_can_be_late_or_away() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=0, ready_after=0)
        town.world.disruption.delay = 3
        town.pods_of(town.owner(), 1)
        budget(town, min_available=0)
        await town.sleep(2.9)
        assert counts(town) == (0, 0, 0, 0)
        await town.sleep(0.2)
        assert counts(town) == (1, 1, 0, 1)
        town.world.disruption.enabled = False
        town.pods_of(None, 1)
        await town.rest()
        assert counts(town) == (1, 1, 0, 1)

    play(body)
