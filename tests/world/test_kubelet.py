"""The kubelet takes pods through their lifecycles, and reports as a real one does."""

from __future__ import annotations

import pytest

from lockstep.world import InTurn, Lifecycle, pick
from tests.world.kit import Town, condition, is_ready, phase, play


def test_pending_running_ready_in_two_writes_at_the_planned_seconds() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of(town.owner())
        await town.sleep(0.5)
        assert (phase(town.now(one)), town.now(one)["spec"]["nodeName"]) == ("Pending", "node-1")
        await town.sleep(0.5)
        running = town.now(one)
        assert (phase(running), is_ready(running)) == ("Running", False)
        assert condition(running, "Ready")["reason"] == "ContainersNotReady"
        assert condition(running, "Ready")["message"] == "containers with unready status: [main]"
        assert running["status"]["startTime"] == "2000-01-01T00:00:01Z"
        await town.rest()
        ready = town.now(one)
        assert town.at == 2
        assert condition(ready, "Ready")["lastTransitionTime"] == "2000-01-01T00:00:02Z"
        assert condition(ready, "PodReadyToStartContainers")["lastTransitionTime"] == "2000-01-01T00:00:01Z"
        assert condition(ready, "PodScheduled")["lastTransitionTime"] == "2000-01-01T00:00:00Z"
        kinds = ("Initialized", "ContainersReady", "PodScheduled")
        assert [condition(ready, kind)["status"] for kind in kinds] == ["True", "True", "True"]
        (status,) = ready["status"]["containerStatuses"]
        assert (status["name"], status["ready"], status["restartCount"]) == ("main", True, 0)
        assert status["state"] == {"running": {"startedAt": "2000-01-01T00:00:01Z"}}

    town = play(body)
    assert [write.at for write in town.writes("kubelet")] == [10**9, 2 * 10**9]


def test_start_and_readiness_in_one_instant_make_one_write() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(start_after=1, ready_after=1)
        (one,) = town.pods_of(None)
        await town.rest()
        assert is_ready(town.now(one))

    assert len(play(body).writes("kubelet")) == 1


@pytest.mark.parametrize(
    ("lifecycle", "wanted"),
    [
        (Lifecycle(start_after=None), ("Pending", False, "")),
        (Lifecycle(ready_after=None), ("Running", False, "")),
        (Lifecycle(ready_after=0, start_after=3), ("Running", True, "")),
        (Lifecycle(flaps=((4, False),)), ("Running", False, "")),
        (Lifecycle(flaps=((4, False), (6, True))), ("Running", True, "")),
        (Lifecycle(fails_after=5, fail_reason="Evicted"), ("Failed", False, "Evicted")),
        (Lifecycle(succeeds_after=5), ("Succeeded", False, "")),
        (Lifecycle(rejected="OutOfcpu"), ("Failed", False, "OutOfcpu")),
    ],
)
def test_outcomes(lifecycle: Lifecycle, wanted: tuple[str, bool, str]) -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = lifecycle
        (one,) = town.pods_of(town.owner())
        await town.rest()
        end = town.now(one)
        assert (phase(end), is_ready(end), end["status"].get("reason", "")) == wanted

    play(body)


def test_a_rejected_pod_has_no_conditions_of_a_kubelet() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(rejected="NodeAffinity")
        (one,) = town.pods_of(None)
        await town.rest()
        status = town.now(one)["status"]
        assert status["message"] == "Pod was rejected: NodeAffinity"
        assert not status.get("conditions")
        assert "containerStatuses" not in status

    play(body)


def test_a_failed_pod_is_not_ready_because_it_failed() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(fails_after=5)
        (one,) = town.pods_of(None)
        await town.rest()
        failed = town.now(one)
        assert condition(failed, "Ready")["reason"] == "PodFailed"
        assert condition(failed, "Ready")["lastTransitionTime"] == "2000-01-01T00:00:05Z"
        terminated = failed["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (terminated["exitCode"], terminated["finishedAt"]) == (1, "2000-01-01T00:00:05Z")

    play(body)


def test_restarts_are_counted_and_readiness_comes_back() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(restarts=(5, 10), restart_for=2)
        (one,) = town.pods_of(None)
        await town.sleep(6)
        broken = town.now(one)
        assert (is_ready(broken), broken["status"]["containerStatuses"][0]["restartCount"]) == (False, 1)
        await town.sleep(2)
        assert is_ready(town.now(one))
        await town.rest()
        status = town.now(one)["status"]["containerStatuses"][0]
        assert status["restartCount"] == 2
        assert status["lastState"]["terminated"]["finishedAt"] == "2000-01-01T00:00:10Z"
        assert condition(town.now(one), "Ready")["lastTransitionTime"] == "2000-01-01T00:00:12Z"

    play(body)


def test_a_restart_leaves_an_unready_pod_unready() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(ready_after=None, restarts=(5,))
        (one,) = town.pods_of(None)
        await town.rest()
        assert not is_ready(town.now(one))

    play(body)


@pytest.mark.parametrize(
    ("stop_after", "grace", "gone_after"), [(1, 30, 1), (40, 30, 30), (None, 30, 30), (None, 7, 7), (0, 30, 0)]
)
def test_a_deleted_pod_goes_after_the_shorter_of_stop_time_and_grace(
    stop_after: float | None, grace: int, gone_after: float
) -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(stop_after=stop_after)
        (one,) = town.pods_of(None)
        await town.sleep(10)
        town.delete(one, gracePeriodSeconds=grace)
        await town.rest()
        assert town.live(one) is None
        assert town.at == 10 + gone_after

    writes = play(body).writes("kubelet", since=10)
    assert [write.verb for write in writes] == ["patch", "delete"]
    assert writes[0].after is not None
    assert (phase(writes[0].after), is_ready(writes[0].after)) == ("Succeeded", False)
    assert writes[1].body["gracePeriodSeconds"] == 0


def test_shortening_the_grace_period_brings_the_end_forward() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(stop_after=None)
        (one,) = town.pods_of(None)
        await town.sleep(10)
        town.delete(one)
        await town.sleep(5)
        town.delete(one, gracePeriodSeconds=20)
        await town.rest()
        assert town.live(one) is None
        assert town.at == 35

    play(body)


def test_a_bound_pod_that_has_not_started_goes_at_once() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of(None)
        await town.sleep(0.5)
        town.delete(one)
        await town.rest()
        assert town.live(one) is None
        assert town.at == 0.5

    play(body)


def test_a_finalizer_keeps_the_pod_but_not_its_containers() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of(None, metadata={"finalizers": ["example.com/hold"]})
        await town.sleep(10)
        town.delete(one)
        await town.rest()
        assert phase(town.now(one)) == "Succeeded"
        patch = {"metadata": {"finalizers": None}}
        town.send("PATCH", town.path(one), patch, "application/merge-patch+json")
        await town.rest()
        assert town.live(one) is None

    assert len(play(body).writes("kubelet", "delete")) == 1


def test_lifecycles_are_assigned_by_owner_by_labels_and_in_turn() -> None:
    async def body(town: Town) -> None:
        lifecycles = town.kubelet.lifecycles
        lifecycles.for_labels({"tier": "back"}, Lifecycle(ready_after=None))
        lifecycles.for_owner("odd", InTurn(Lifecycle(start_after=None), Lifecycle(ready_after=3)))
        plain, odd = town.owner("plain"), town.owner("odd")
        (first,), (back,) = town.pods_of(odd), town.pods_of(plain, labels={"app": "x", "tier": "back"})
        (default,) = town.pods_of(plain)
        await town.sleep(5)
        (second,) = town.pods_of(odd)
        await town.sleep(5)
        (third,) = town.pods_of(odd)
        await town.rest()
        assert phase(town.now(first)) == "Pending"
        assert [is_ready(town.now(one)) for one in (second, third, back, default)] == [True, True, False, True]
        assert condition(town.now(second), "Ready")["lastTransitionTime"] == "2000-01-01T00:00:08Z"

    play(body)


def test_actions_on_a_chosen_pod_take_effect_at_once() -> None:
    async def body(town: Town) -> None:
        pods = town.pods_of(town.owner(), 4)
        await town.rest()
        town.kubelet.fail(pods[0], reason="Evicted", message="node was low on memory")
        town.kubelet.succeed(pods[1])
        town.kubelet.set_ready(pods[2], ready=False)
        town.kubelet.restart(pods[3])
        failed, succeeded, unready, restarted = (town.now(one) for one in pods)
        assert (phase(failed), failed["status"]["reason"]) == ("Failed", "Evicted")
        assert phase(succeeded) == "Succeeded"
        assert (phase(unready), is_ready(unready)) == ("Running", False)
        assert (is_ready(restarted), restarted["status"]["containerStatuses"][0]["restartCount"]) == (False, 1)
        await town.rest()
        assert (is_ready(town.now(pods[2])), is_ready(town.now(pods[3]))) == (False, True)
        assert town.at == 3

    play(body)


def test_actions_name_what_is_wrong_with_the_pod() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of(None)
        with pytest.raises(ValueError, match="is not bound to a node"):
            town.kubelet.fail(one)
        await town.sleep(0.5)
        with pytest.raises(ValueError, match="is not running, it is Pending"):
            town.kubelet.set_ready(town.now(one), ready=True)
        await town.rest()
        with pytest.raises(ValueError, match="has no container 'nobody' to restart; it has main"):
            town.kubelet.restart(town.now(one), "nobody")
        town.kubelet.lose_node("node-1")
        with pytest.raises(ValueError, match="node node-1 is lost"):
            town.kubelet.succeed(town.now(one))
        with pytest.raises(IndexError, match="cannot pick pod 1 of 1"):
            pick(town.pods(), 1)

    play(body)


def test_sidecars_run_and_restart_beside_the_containers() -> None:
    async def body(town: Town) -> None:
        init = [{"name": "setup", "image": "i"}, {"name": "proxy", "image": "i", "restartPolicy": "Always"}]
        (one,) = town.pods_of(None, initContainers=init)
        await town.rest()
        town.kubelet.restart(town.now(one), "proxy")
        await town.rest()
        setup, proxy = town.now(one)["status"]["initContainerStatuses"]
        assert (setup["state"]["terminated"]["exitCode"], setup["ready"]) == (0, True)
        assert (proxy["restartCount"], "running" in proxy["state"]) == (1, True)
        assert is_ready(town.now(one))

    play(body)


def test_readiness_gates_hold_readiness_back_until_they_are_set() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of(None, readinessGates=[{"conditionType": "example.com/lb"}])
        await town.rest()
        assert condition(town.now(one), "Ready")["reason"] == "ReadinessGatesNotReady"
        gate = {"type": "example.com/lb", "status": "True"}
        patch = {"status": {"conditions": [gate, *town.now(one)["status"]["conditions"]]}}
        town.send("PATCH", f"{town.path(one)}/status", patch, "application/merge-patch+json")
        await town.rest()
        assert is_ready(town.now(one))

    play(body)


def test_a_pod_that_another_writer_ended_never_runs_again() -> None:
    async def body(town: Town) -> None:
        (one,) = town.pods_of(None)
        await town.sleep(1.5)
        patch = {"status": {"phase": "Failed", "reason": "Preempted"}}
        town.send("PATCH", f"{town.path(one)}/status", patch, "application/merge-patch+json")
        await town.rest()
        assert (phase(town.now(one)), town.now(one)["status"]["reason"]) == ("Failed", "Preempted")
        assert not is_ready(town.now(one))

    play(body)


def test_timestamps_are_on_the_clock_of_the_node() -> None:
    async def body(town: Town) -> None:
        town.world.nodes["node-1"].skew = -30
        (one,) = town.pods_of(None)
        await town.rest()
        assert condition(town.now(one), "Ready")["lastTransitionTime"] == "1999-12-31T23:59:32Z"
        assert town.at == 2

    play(body, nodes=1)


def test_a_lost_node_is_silent_then_noticed_then_catches_up() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(flaps=((20, False), (100, True)), stop_after=5)
        stays, goes = town.pods_of(None, 2)
        await town.sleep(10)
        town.kubelet.lose_node("node-1")
        town.delete(goes)
        await town.sleep(40)
        assert is_ready(town.now(stays))
        await town.sleep(20)
        assert condition(town.now(stays), "Ready")["lastTransitionTime"] == "2000-01-01T00:01:00Z"
        assert not is_ready(town.now(stays))
        assert town.live(goes) is not None
        assert not town.world.pending()
        node = town.server.find("nodes", "", "node-1")
        assert node is not None
        assert condition(node, "Ready")["status"] == "Unknown"
        town.kubelet.recover_node("node-1")
        await town.sleep(1)
        assert town.live(goes) is None
        assert not is_ready(town.now(stays))
        await town.rest()
        assert is_ready(town.now(stays))
        assert town.at == 100

    play(body, nodes=1)


def test_negative_times_are_refused() -> None:
    with pytest.raises(ValueError, match="use 0 or more"):
        Lifecycle(ready_after=(1.0, -1.0))
