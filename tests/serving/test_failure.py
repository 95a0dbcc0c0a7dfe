"""What becomes of clients when the simulation ends by itself."""

from __future__ import annotations

import threading
import urllib.request
from pathlib import Path

import pytest

from lockstep.serving import ServeError
from lockstep.serving.background import ApiRefusal, KubeApi
from lockstep.serving.boxes import Inbox
from lockstep.serving.clocks import JumpingClock
from lockstep.serving.served_loop import ServedLoop
from lockstep.serving.simulation import Setup
from lockstep.time import loop as virtual
from tests.processes import until


def _break(api: KubeApi) -> None:
    def burst() -> None:
        raise RuntimeError("the world is broken")

    assert api._service is not None
    api._service.simulation.post(burst)


def test_requests_are_answered_watches_end_and_the_reason_is_reported(tmp_path: Path) -> None:
    ends: list[bytes] = []
    with pytest.raises(ServeError, match="the simulation ended by itself: the world is broken"):  # noqa: PT012, SIM117 - the end is what raises
        with KubeApi(tmp_path, Setup(clock="manual")) as api:
            stream = urllib.request.urlopen(f"{api.url}/api/v1/configmaps?watch=1", timeout=30)  # noqa: S310 - our own
            reader = threading.Thread(target=lambda: ends.append(stream.read()))
            reader.start()
            _break(api)
            with pytest.raises(ApiRefusal) as refused:
                api.request("GET", "/api/v1/pods")
            with pytest.raises(ApiRefusal, match="503"):
                api.advance(1)
            reader.join(30)
            stream.close()
    assert ends == [b""]
    assert refused.value.code == 503
    assert "the world is broken" in refused.value.text


def test_a_client_that_waits_for_the_clock_gets_the_end(tmp_path: Path) -> None:
    reported: list[str] = []

    def wait(api: KubeApi) -> None:
        with pytest.raises(ApiRefusal) as refused:
            api.request("PUT", "/lockstep/pods", {"loads": []})
        reported.append(refused.value.text)

    with pytest.raises(ServeError), KubeApi(tmp_path, Setup(clock="manual")) as api:  # noqa: PT012 - the end raises
        held, service = threading.Event(), api._service
        assert service is not None
        service.simulation.post(held.wait)
        waiter = threading.Thread(target=wait, args=(api,))
        _break(api)
        waiter.start()
        until(lambda: service.simulation.inbox.waiting == 2, "its request, after what ends the simulation")
        held.set()
        waiter.join(30)
    assert not waiter.is_alive()
    assert len(reported) == 1


def test_a_step_of_the_world_that_fails_is_left_out_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    inbox, done = Inbox(), []
    loop = ServedLoop(JumpingClock(inbox))

    def fail() -> None:
        raise KeyError("effect")

    async def main() -> None:
        loop.world_at(1, fail)
        loop.world_at(2, lambda: done.append(loop.now))
        await loop.world_sleep(1)

    virtual.run(loop, main())
    assert (done, loop.failed_steps) == ([2], 1)
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "a step of the simulated world failed and is left out: KeyError: 'effect' (test_failure.py:"
    )


@pytest.mark.kube_api(clock="manual", controllers=("replicaset",))
def test_a_node_with_half_a_taint_takes_pods(kube_api: KubeApi) -> None:
    kube_api.request("POST", "/api/v1/nodes", {"metadata": {"name": "odd"}, "spec": {"taints": [{"key": "a"}]}})
    pod = {"metadata": {"name": "one"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
    kube_api.request("POST", "/api/v1/namespaces/default/pods", pod)
    kube_api.advance(10)
    assert kube_api.request("GET", "/api/v1/namespaces/default/pods/one")["status"]["phase"] == "Running"


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    from lockstep.serving.service import Listen

    with KubeApi(tmp_path, Setup(clock="manual", kubelet=False)) as api:
        port = int(api.url.rpartition(":")[2])
        with pytest.raises(ServeError, match=f"cannot listen on 127.0.0.1:{port}"):
            KubeApi(tmp_path, Setup(clock="manual", kubelet=False), Listen(port=port)).__enter__()
