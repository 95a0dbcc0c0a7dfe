"""How faults and the judge name requests to metrics APIs."""

from __future__ import annotations

import pytest

from lockstep.apiserver import Request
from lockstep.network import Fault, Faults
from lockstep.network.target import Target, target_of
from tests.metrics.kit import CUSTOM, EXTERNAL, RESOURCE


@pytest.mark.parametrize(
    ("path", "target"),
    [
        (f"{RESOURCE}/namespaces/prod/pods", Target("list", "pods.metrics.k8s.io", "", "prod", "")),
        (f"{RESOURCE}/namespaces/prod/pods/web", Target("get", "pods.metrics.k8s.io", "", "prod", "web")),
        (f"{RESOURCE}/nodes", Target("list", "nodes.metrics.k8s.io", "", "", "")),
        (f"{CUSTOM}/namespaces/prod/pods/*/http", Target("get", "custom.metrics.k8s.io", "", "prod", "http")),
        (f"{CUSTOM}/namespaces/prod/services/web/rate", Target("get", "custom.metrics.k8s.io", "", "prod", "rate")),
        (f"{CUSTOM}/namespaces/prod/metrics/rate", Target("get", "custom.metrics.k8s.io", "", "prod", "rate")),
        (f"{CUSTOM}/nodes/node-1/load", Target("get", "custom.metrics.k8s.io", "", "", "load")),
        (f"{EXTERNAL}/namespaces/prod/queue", Target("get", "external.metrics.k8s.io", "", "prod", "queue")),
        (CUSTOM, Target("get", "", "", "", "")),
    ],
)
def test_the_target_of_a_request(path: str, target: Target) -> None:
    assert target_of(Request("GET", path)) == target


def test_a_fault_finds_its_metric() -> None:
    faults = Faults()
    fault = faults.error(503, verb="get", resource="custom.metrics.k8s.io", name="http_*", namespace="prod")
    assert isinstance(fault, Fault)
    path = f"{CUSTOM}/namespaces/prod/pods/*"
    assert faults.hit(target_of(Request("GET", f"{path}/other")), "hpa") is None
    assert faults.hit(target_of(Request("GET", f"{path}/http_requests")), "hpa") is fault
