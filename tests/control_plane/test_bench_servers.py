"""The measures that need a real control plane, at sizes that take little time."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from lockstep.apiserver import Request
from lockstep.clusters.control_plane import Process
from lockstep.errors import LockstepError
from lockstep.quality.bench import BenchFailed, servers
from lockstep.quality.bench.real_servers import compare_servers
from lockstep.quality.bench.servers import in_process, over_http
from lockstep.quality.bench.sides import Sides
from lockstep.quality.bench.stored import bytes_per_pod
from lockstep.quality.bench.traffic import life_of_pods
from lockstep.quality.bench.watchers import events_per_second


@pytest.mark.control_plane
def test_all_measures_of_the_three_servers() -> None:
    with Sides(lambda _: None) as sides:
        figures = compare_servers(sides, slice_seconds=0.01, rounds=1, watchers=3, seen=2, kept=200)
    names = [one.name for one in figures]
    assert len(set(names)) == len(names) == 3 + 2 + 3 + 3 + 3
    assert all(one.value > 0 for one in figures if not one.name.startswith("memory"))
    assert {one.name for one in figures if one.target} == {
        "the same, in-process to kube-apiserver",
        "the same, over HTTP to kube-apiserver",
    }


@pytest.mark.parametrize("opened", [in_process, over_http])
def test_a_life_leaves_nothing_and_watchers_hear_everything(opened: type) -> None:
    with opened() as one:
        for _ in range(2):
            life_of_pods(one, 3)()
        assert events_per_second(one, watchers=5, pods=4) > 0


def test_a_pod_takes_memory() -> None:
    with in_process() as one:
        assert bytes_per_pod(one, 100, warm_up=10) > 100


def test_a_refusal_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    from kubernetes.client.exceptions import ApiException

    with in_process() as one:
        assert one.server is not None
        handle = one.server.handle
        monkeypatch.setattr(one.server, "handle", lambda request: handle(_lost(request)))
        with pytest.raises(ApiException, match="404"):
            life_of_pods(one, 1)()


def _lost(request: Request) -> Request:
    request.path = request.path.replace("/default/", "/nowhere/")
    return request


def test_without_the_official_client_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    with pytest.raises(LockstepError, match=r"need kubernetes\.client, which is not installed"), in_process():
        pass


def test_a_server_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = Process
    monkeypatch.setattr(servers, "Process", lambda name, _, log: real(name, ["/bin/sh", "-c", "echo no; exit 4"], log))
    began = time.monotonic()
    with pytest.raises(BenchFailed, match="lockstep serve ended with code 4; its last words: no"), over_http():
        pass
    assert time.monotonic() - began < 30
