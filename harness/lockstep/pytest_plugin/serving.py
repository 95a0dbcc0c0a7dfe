"""The fixture `kube_api`: a fresh API server over HTTP for one test, whatever client the test uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lockstep.serving.background import KubeApi

MARKER = "kube_api(clock, kubelet, controllers, owners, snapshot, seed, pods, without): what kube_api serves"


@pytest.fixture
def kube_api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KubeApi]:
    """A served cluster with `url`, `kubeconfig` (a path), `request()`, `advance()` and `api_client()`.

    `@pytest.mark.kube_api(clock="manual", controllers=("replicaset",))` sets what it contains: see `simulation.Setup`.
    """
    from lockstep.serving.background import KubeApi
    from lockstep.serving.simulation import Setup

    marker = request.node.get_closest_marker("kube_api")
    with KubeApi(tmp_path, Setup(**marker.kwargs) if marker is not None else Setup()) as api:
        yield api
