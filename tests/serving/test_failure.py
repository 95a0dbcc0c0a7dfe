"""What becomes of clients when the simulation ends by itself."""

from __future__ import annotations

import threading
import urllib.request
from pathlib import Path

import pytest

from harness.serving.background import ApiRefusal, KubeApi
from harness.serving.errors import ServeError
from harness.serving.simulation import Setup


def _break(api: KubeApi) -> None:
    def burst() -> None:
        raise RuntimeError("the world is broken")

    assert api._service is not None
    api._service.simulation.post(burst)


def test_requests_are_answered_watches_end_and_the_reason_is_told(tmp_path: Path) -> None:
    ends: list[bytes] = []
    with pytest.raises(ServeError, match="the simulation ended by itself: the world is broken"):  # noqa: PT012, SIM117 - the end is what raises
        with KubeApi(tmp_path, Setup(clock="manual")) as api:
            stream = urllib.request.urlopen(f"{api.url}/api/v1/configmaps?watch=1", timeout=30)  # noqa: S310 - our own
            reader = threading.Thread(target=lambda: ends.append(stream.read()))
            reader.start()
            _break(api)
            with pytest.raises(ApiRefusal) as refused:
                api.request("GET", "/api/v1/pods")
            reader.join(30)
            stream.close()
    assert ends == [b""]
    assert refused.value.code == 503
    assert "the world is broken" in refused.value.text


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    from harness.serving.service import Listen

    with KubeApi(tmp_path, Setup(clock="manual", kubelet=False)) as api:
        port = int(api.url.rpartition(":")[2])
        with pytest.raises(ServeError, match=f"cannot listen on 127.0.0.1:{port}"):
            KubeApi(tmp_path, Setup(clock="manual", kubelet=False), Listen(port=port)).__enter__()
