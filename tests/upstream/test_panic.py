"""A panic of upstream: choosing among pods while the youngest ready one is less than a millisecond old.

`reportSortingDeletionAgeRatioMetric` divides by that pod's age in whole milliseconds. Lockstep reports the death of the
process as an error of the run, and the next run gets a new process. No scenario may depend on this, so it is held here.
"""

from __future__ import annotations

import pytest

from lockstep import objects
from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations import Implementation
from lockstep.implementations.registry import open_implementation
from lockstep.scenarios.cluster import Cluster
from lockstep.scenarios.declare import Options, Scenario
from lockstep.world import Lifecycle

pytestmark = pytest.mark.upstream


def _scale_down(implementation: Implementation, age: float) -> RunResult:
    async def body(cluster: Cluster) -> None:
        cluster.kubelet.lifecycles.default = Lifecycle(start_after=0.0, ready_after=0.0)
        await cluster.create(objects.replica_set("web", 3))
        await cluster.eventually("all pods are ready", lambda: cluster.ready("web") == 3, within=0.5)
        await cluster.run(age)
        await cluster.scale("web", 1)
        await cluster.run(10)
        cluster.expect("pods", len(cluster.pods("web")), 1)

    scenario = Scenario("replicaset/newborn", "It MUST live.", ("test",), body, options=Options())
    return run_scenario(scenario, implementation)


def test_upstream_dies_when_the_youngest_ready_pod_is_new_and_the_next_run_lives() -> None:
    upstream = open_implementation("upstream", "1.36.3", lambda _: None)
    try:
        dead, alive = _scale_down(upstream, 0.0), _scale_down(upstream, 0.001)
    finally:
        upstream.close()
    assert "integer divide by zero" in dead.error
    assert (alive.error, alive.failure) == ("", "")


def test_the_reference_has_no_such_metric_and_lives() -> None:
    result = _scale_down(open_implementation("reference", "1.36.3", lambda _: None), 0.0)
    assert (result.error, result.failure) == ("", "")
