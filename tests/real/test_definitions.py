"""The definitions that a session brings to a cluster, and whether they stay there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from lockstep import objects
from lockstep.clusters.real.connection import Connection
from lockstep.clusters.real.definitions import DEFINITIONS, PATH
from lockstep.clusters.real.session import RealSession
from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup

NAMES = [one["metadata"]["name"] for one in DEFINITIONS]
VPAS = "/apis/autoscaling.k8s.io/v1/namespaces/default/verticalpodautoscalers"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[KubeApi]:
    with KubeApi(tmp_path, Setup(kubelet=False)) as api:
        yield api


def defined(served: KubeApi) -> list[str]:
    return [one["metadata"]["name"] for one in answer(served, "GET", PATH)["items"]]


def answer(served: KubeApi, method: str, path: str, body: object = None) -> dict[str, Any]:
    connection = Connection(served.kubeconfig)
    try:
        found = connection.request(method, path, {}, None if body is None else orjson.dumps(body))
        assert found.status < 300, found.body
        return orjson.loads(found.body)  # type: ignore[no-any-return]
    finally:
        connection.close()


def test_what_was_brought_is_taken_away(served: KubeApi) -> None:
    with RealSession(served.kubeconfig):
        assert sorted(defined(served)) == sorted(NAMES)
    assert defined(served) == []


def test_what_was_there_before_stays(served: KubeApi) -> None:
    answer(served, "POST", PATH, DEFINITIONS[0])
    with RealSession(served.kubeconfig):
        assert sorted(defined(served)) == sorted(NAMES)
    assert defined(served) == [NAMES[0]]


def test_what_others_use_by_now_stays(served: KubeApi) -> None:
    with RealSession(served.kubeconfig):
        answer(served, "POST", VPAS, objects.vpa())
    assert defined(served) == [one for one in NAMES if one.startswith("verticalpodautoscalers.")]
