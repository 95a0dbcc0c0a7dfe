"""Containers that are killed for want of memory, and pods that their node evicts."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.objects import container
from lockstep.world import Lifecycle
from tests.world.kit import Object, Town, condition, is_ready, phase, play


def status_of(pod: Object, name: str = "main") -> Object:
    return next(one for one in pod["status"]["containerStatuses"] if one["name"] == name)


def shape(status: Object) -> tuple[str, str, int]:
    """What the container does, why it ended last, how often it was restarted."""
    [(state, details)] = status["state"].items()
    last = (status["lastState"].get("terminated") or {}).get("reason", "")
    return f"{state} {details.get('reason', '')}".strip(), last, status["restartCount"]


def test_a_kill_is_seen_and_then_the_restart() -> None:
    async def body(town: Town) -> None:
        pod = town.pod("a")
        await town.sleep(10)
        town.kubelet.oom_kill(town.now(pod))
        killed = status_of(town.now(pod))
        assert shape(killed) == ("terminated OOMKilled", "", 0)
        assert killed["state"]["terminated"]["exitCode"] == 137
        assert killed["state"]["terminated"]["finishedAt"] == "2000-01-01T00:00:10Z"
        assert (phase(town.now(pod)), is_ready(town.now(pod))) == ("Running", False)
        await town.sleep(1)
        again = status_of(town.now(pod))
        assert shape(again) == ("running", "OOMKilled", 1)
        assert again["state"]["running"]["startedAt"] == "2000-01-01T00:00:11Z"
        await town.sleep(1)
        assert is_ready(town.now(pod))

    play(body)


def test_without_a_pause_it_is_never_reported_down() -> None:
    async def body(town: Town) -> None:
        pod = town.pod("a")
        await town.sleep(10)
        town.kubelet.oom_kill(town.now(pod), down=0)
        assert shape(status_of(town.now(pod))) == ("running", "OOMKilled", 1)
        await town.rest()
        assert len(town.writes("kubelet", "patch", since=10)) == 2  # the restart, and ready again

    play(body)


def test_the_back_off_doubles_and_is_forgotten() -> None:
    async def body(town: Town) -> None:
        pod = town.pod("a")
        await town.sleep(10)
        downs = []
        for _ in range(4):
            began = town.at
            town.kubelet.oom_kill(town.now(pod))
            while "running" not in status_of(town.now(pod))["state"]:
                await town.sleep(0.5)
                if town.at - began == 2:
                    waiting = status_of(town.now(pod))
                    assert shape(waiting)[:2] == ("waiting CrashLoopBackOff", "OOMKilled")
                    text = waiting["state"]["waiting"]["message"]
                    assert text.startswith("back-off ")
                    assert " restarting failed container=main pod=a_default(" in text
            downs.append(town.at - began)
            await town.sleep(3)
        assert downs == [1, 10, 20, 40]
        await town.sleep(601)
        town.kubelet.oom_kill(town.now(pod))
        await town.sleep(1)
        assert shape(status_of(town.now(pod))) == ("running", "OOMKilled", 5)

    play(body)


def test_other_containers_go_on() -> None:
    async def body(town: Town) -> None:
        pod = town.pod("a", containers=[container("app"), container("proxy")])
        await town.sleep(10)
        town.kubelet.oom_kill(town.now(pod), "proxy", down=5)
        assert shape(status_of(town.now(pod), "app")) == ("running", "", 0)
        assert status_of(town.now(pod), "app")["ready"] is True
        assert status_of(town.now(pod), "proxy")["ready"] is False
        town.kubelet.set_ready(town.now(pod), True)
        assert status_of(town.now(pod), "proxy")["ready"] is False  # no probe of what does not run
        await town.sleep(7)
        assert is_ready(town.now(pod))
        with pytest.raises(ValueError, match="no container 'web'"):
            town.kubelet.oom_kill(town.now(pod), "web")

    play(body)


def test_a_pod_that_never_restarts_fails_with_its_last_container() -> None:
    async def body(town: Town) -> None:
        pod = town.pod("a", restartPolicy="Never", containers=[container("app"), container("proxy")])
        await town.sleep(10)
        town.kubelet.oom_kill(town.now(pod), "proxy")
        assert (phase(town.now(pod)), shape(status_of(town.now(pod), "proxy"))[0]) == (
            "Running",
            "terminated OOMKilled",
        )
        town.kubelet.oom_kill(town.now(pod), "app")
        assert phase(town.now(pod)) == "Failed"
        await town.rest()
        assert shape(status_of(town.now(pod), "app")) == ("terminated OOMKilled", "", 0)

    play(body)


def test_a_lifecycle_with_kills() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(ooms=(20, 40), oom_down=2)
        pods = town.pods_of(town.owner(), 2)
        seen = []
        for _ in range(50):
            await town.sleep(1)
            seen.append({shape(status_of(town.now(pod))) for pod in pods} if town.at > 2 else set())
        assert seen[20] == seen[19] == {("terminated OOMKilled", "", 0)}
        assert seen[21] == {("running", "OOMKilled", 1)}
        assert seen[49] == {("running", "OOMKilled", 2)}

    play(body)


def test_a_node_short_of_memory_evicts() -> None:
    async def body(town: Town) -> None:
        resources = {"requests": {"memory": "100Mi"}}
        pod = town.pod("a", containers=[container("app", resources=resources), container("proxy", resources=resources)])
        await town.sleep(10)
        other = town.pod("b")
        await town.sleep(1)
        usage: dict[str, Any] = {"app": "300Mi", "proxy": 50 * 2**20}
        town.kubelet.evict(town.now(pod), usage)
        now = town.now(pod)
        assert (phase(now), now["status"]["reason"]) == ("Failed", "Evicted")
        text = (
            "The node was low on resource: memory. Container app was using 300Mi, request is 100Mi, has larger "
            "consumption of memory. "
        )
        assert now["status"]["message"] == text
        disrupted = condition(now, "DisruptionTarget")
        assert (disrupted["status"], disrupted["reason"]) == ("True", "TerminationByKubelet")
        [event] = town.server.objects("events")
        assert (event["reason"], event["message"], event["involvedObject"]["name"]) == ("Evicted", text, "a")
        assert event["metadata"]["annotations"] == {
            "offending_containers": "app",
            "offending_containers_usage": "300Mi",
            "starved_resource": "memory",
        }
        await town.rest()
        assert town.live(pod) is not None  # it is not deleted
        with pytest.raises(ValueError, match="no container 'web'"):
            town.kubelet.evict(town.now(other), {"web": 1})

    play(body)
