"""The list of API groups that a tenant of a real cluster sees."""

from __future__ import annotations

from lockstep.clusters.real.discovery import with_groups

METRICS = frozenset({"metrics.k8s.io", "custom.metrics.k8s.io"})


def test_metrics_are_those_of_the_tenant() -> None:
    real = {"kind": "APIGroupList", "groups": [{"name": "apps"}, {"name": "metrics.k8s.io"}]}
    local = {"kind": "APIGroupList", "groups": [{"name": "apps", "x": 1}, {"name": "custom.metrics.k8s.io"}]}
    found = with_groups(real, local, METRICS)
    assert found == {"kind": "APIGroupList", "groups": [{"name": "apps"}, {"name": "custom.metrics.k8s.io"}]}


def test_so_they_are_in_aggregated_discovery() -> None:
    real = {"kind": "APIGroupDiscoveryList", "items": [{"metadata": {"name": "metrics.k8s.io"}}]}
    local = {"kind": "APIGroupDiscoveryList", "items": [{"metadata": {"name": "metrics.k8s.io"}, "versions": []}]}
    assert with_groups(real, local, METRICS)["items"] == local["items"]
    assert with_groups(real, {"kind": "APIGroupList", "groups": []}, METRICS) == real
