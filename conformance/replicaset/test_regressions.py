"""Differences that fuzzing once found, replayed: each saved plan is a scenario like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from conformance.replicaset import plans
from harness.cluster import Cluster
from harness.fuzz.regressions import load_regressions
from harness.scenario import Scenario

_FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def _regression(name: str, plan: dict[str, Any]) -> Scenario:
    async def body(cluster: Cluster) -> None:
        await plans.play(cluster, plan)
        cluster.expect_true("the controllers run at the end", cluster.controllers_running)

    return Scenario(
        id=f"replicaset/regression-{name}",
        must="The controller MUST act as upstream does in a scenario that once showed a difference.",
        source=(f"fixtures/regressions/replicaset/{name}.json",),
        body=body,
        features=("regression",),
        module=__name__,
    )


for _name, _plan in load_regressions(_FIXTURES, "replicaset").items():
    globals()[f"test_regression_{_name}"] = _regression(_name, _plan)
