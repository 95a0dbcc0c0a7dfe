"""What a kubelet makes of a resize."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.objects import container
from lockstep.world import Lifecycle, Resize
from tests.world.kit import Object, Town, condition, is_ready, play

SIZE = {"requests": {"cpu": "1", "memory": "1Gi"}}
STRATEGIC = "application/strategic-merge-patch+json"


def sized(town: Town, resize: Resize | None = None, **fields: Any) -> Object:
    if resize is not None:
        town.kubelet.lifecycles.default = Lifecycle(resize=resize)
    return town.pod("a", containers=[container(resources=SIZE, **fields)])


def resize(town: Town, pod: Object, **requests: str) -> None:
    body = {"spec": {"containers": [{"name": "main", "resources": {"requests": requests}}]}}
    town.send("PATCH", f"{town.path(pod)}/resize", body, STRATEGIC)


def amounts(town: Town, pod: Object) -> tuple[str, str]:
    """The CPU that the container has, and what has been set aside for it."""
    status = town.now(pod)["status"]["containerStatuses"][0]
    return status["resources"]["requests"]["cpu"], status["allocatedResources"]["cpu"]


def pending(town: Town, pod: Object) -> tuple[str, str, int]:
    found = condition(town.now(pod), "PodResizePending")
    return found.get("reason", ""), found.get("message", ""), found.get("observedGeneration", 0)


def test_a_resize_takes_a_moment() -> None:
    async def body(town: Town) -> None:
        pod = sized(town)
        await town.sleep(10)
        assert amounts(town, pod) == ("1", "1")
        resize(town, pod, cpu="2")
        assert town.now(pod)["metadata"]["generation"] == 2
        await town.sleep(0.5)
        assert amounts(town, pod) == ("1", "2")
        going = condition(town.now(pod), "PodResizeInProgress")
        assert (going["status"], going["observedGeneration"], "reason" in going) == ("True", 2, False)
        await town.sleep(1)
        assert amounts(town, pod) == ("2", "2")
        assert condition(town.now(pod), "PodResizeInProgress") == {}
        status = town.now(pod)["status"]
        assert (status["observedGeneration"], status["containerStatuses"][0]["restartCount"]) == (2, 0)
        assert is_ready(town.now(pod))

    play(body)


def test_a_deferred_resize() -> None:
    async def body(town: Town) -> None:
        pod = sized(town, Resize("Deferred", pending_for=30, takes=0))
        await town.sleep(10)
        resize(town, pod, cpu="2")
        await town.sleep(1)
        assert pending(town, pod) == ("Deferred", "Node didn't have enough resource: cpu", 2)
        assert condition(town.now(pod), "PodResizePending")["lastTransitionTime"] == "2000-01-01T00:00:10Z"
        assert amounts(town, pod) == ("1", "1")
        await town.sleep(30)
        assert amounts(town, pod) == ("2", "2")
        assert pending(town, pod) == ("", "", 0)

    play(body)


def test_an_infeasible_resize_that_is_taken_back() -> None:
    async def body(town: Town) -> None:
        pod = sized(town, Resize("Infeasible", message="too much"))
        await town.sleep(10)
        resize(town, pod, cpu="200")
        await town.rest()
        assert pending(town, pod) == ("Infeasible", "too much", 2)
        resize(town, pod, cpu="1")
        await town.rest()
        assert pending(town, pod) == ("", "", 0)
        assert amounts(town, pod) == ("1", "1")

    play(body)


def test_a_later_resize_replaces_one_that_goes_on() -> None:
    async def body(town: Town) -> None:
        pod = sized(town, Resize(takes=10))
        await town.sleep(10)
        resize(town, pod, cpu="2")
        await town.sleep(5)
        resize(town, pod, cpu="3")
        await town.sleep(6)
        assert amounts(town, pod) == ("1", "3")
        await town.rest()
        assert amounts(town, pod) == ("3", "3")

    play(body)


def test_one_goes_on_while_another_waits() -> None:
    async def body(town: Town) -> None:
        pod = sized(town, Resize(takes=10))
        await town.sleep(10)
        resize(town, pod, cpu="2")
        await town.sleep(5)
        town.kubelet.resizing = Resize("Deferred", pending_for=20, takes=0)
        resize(town, pod, cpu="3")
        await town.sleep(6)
        assert (amounts(town, pod), pending(town, pod)[0]) == (("2", "2"), "Deferred")
        await town.rest()
        assert (amounts(town, pod), pending(town, pod)[0]) == (("3", "3"), "")

    play(body)


def test_a_resize_that_fails() -> None:
    async def body(town: Town) -> None:
        pod = sized(town, Resize(takes=None, error="cgroup is read-only"))
        await town.sleep(10)
        resize(town, pod, cpu="2")
        await town.rest()
        going = condition(town.now(pod), "PodResizeInProgress")
        assert (going["reason"], going["message"]) == ("Error", "cgroup is read-only")
        assert amounts(town, pod) == ("1", "2")
        town.kubelet.resizing = Resize(takes=0)
        town.kubelet.retry_resize(town.now(pod))
        await town.rest()
        assert amounts(town, pod) == ("2", "2")
        assert condition(town.now(pod), "PodResizeInProgress") == {}

    play(body)


@pytest.mark.parametrize(("requests", "restarts"), [({"cpu": "2"}, 0), ({"memory": "2Gi"}, 1)])
def test_resources_that_want_a_restart(requests: dict[str, str], restarts: int) -> None:
    async def body(town: Town) -> None:
        policy = [{"resourceName": "memory", "restartPolicy": "RestartContainer"}]
        pod = sized(town, resizePolicy=policy)
        await town.sleep(10)
        resize(town, pod, **requests)
        await town.rest()
        status = town.now(pod)["status"]["containerStatuses"][0]
        assert status["restartCount"] == restarts
        assert status["lastState"].get("terminated", {}).get("exitCode", 0) == (143 if restarts else 0)
        assert is_ready(town.now(pod))

    play(body)


def test_a_pod_that_has_not_started_takes_what_it_gets() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=20, resize=Resize("Infeasible"))
        pod = sized(town)
        await town.sleep(10)
        resize(town, pod, cpu="2")
        await town.rest()
        assert amounts(town, pod) == ("2", "2")
        assert pending(town, pod) == ("", "", 0)

    play(body)


def test_a_lost_node_catches_up() -> None:
    async def body(town: Town) -> None:
        pod = sized(town)
        await town.sleep(10)
        node = town.now(pod)["spec"]["nodeName"]
        town.kubelet.lose_node(node)
        resize(town, pod, cpu="2")
        await town.sleep(10)
        assert amounts(town, pod) == ("1", "1")
        town.kubelet.recover_node(node)
        await town.rest()
        assert amounts(town, pod) == ("2", "2")

    play(body)


def test_resizes_that_are_none() -> None:
    with pytest.raises(ValueError, match="the verdict is one of"):
        Resize("Rejected")
    with pytest.raises(ValueError, match="times are seconds from 0 on"):
        Resize(takes=-1)
