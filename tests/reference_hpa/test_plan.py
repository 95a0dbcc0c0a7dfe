"""Reading specs."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.hpa.plan import InvalidTarget, Plan, Planner
from tests.reference_hpa.kit import external, hpa, object_metric, resource


def read(obj: dict[str, Any], *, configurable: bool = True) -> Plan:
    return Planner(0.1, configurable_tolerance=configurable).plan("default/web", "default", obj["spec"])


@pytest.mark.parametrize(
    ("api_version", "group"),
    [("apps/v1", "apps"), ("v1", ""), ("", ""), ("/", ""), (None, ""), ("/v1", "")],
)
def test_the_targets_group(api_version: str | None, group: str) -> None:
    target = {"kind": "Thing", "name": "web"} | ({} if api_version is None else {"apiVersion": api_version})
    plan = read(hpa(target=target))
    assert plan.target_group() == group
    assert plan.reference == "Thing/default/web"


def test_an_api_version_that_is_none() -> None:
    plan = read(hpa(target={"kind": "Thing", "name": "web", "apiVersion": "a/b/c"}))
    with pytest.raises(InvalidTarget, match=r"^unexpected GroupVersion string: a/b/c$"):
        plan.target_group()


def test_limits() -> None:
    without = hpa(maxReplicas=7)
    del without["spec"]["minReplicas"]
    assert (read(without).min_replicas, read(without).max_replicas) == (1, 7)
    assert read(hpa(minReplicas=0)).min_replicas == 0


@pytest.mark.parametrize(
    ("behavior", "configurable", "down", "up"),
    [
        (None, True, 0.1, 0.1),
        ({"scaleUp": {"tolerance": "50m"}}, True, 0.1, 0.05),
        ({"scaleUp": {"tolerance": "0"}, "scaleDown": {"tolerance": "0.2"}}, True, 0.2, 0.0),
        ({"scaleUp": {"tolerance": "50m"}, "scaleDown": {"tolerance": "0.2"}}, False, 0.1, 0.1),
        ({"scaleUp": None}, True, 0.1, 0.1),
    ],
)
def test_tolerances(behavior: dict[str, Any] | None, configurable: bool, down: float, up: float) -> None:
    plan = read(hpa(behavior=behavior), configurable=configurable)
    assert (plan.tolerances.scale_down, plan.tolerances.scale_up) == (down, up)


def test_metrics_that_can_wake_up_a_workload() -> None:
    assert not read(hpa(resource(averageUtilization=50))).has_object_or_external_metrics
    assert read(hpa(resource(averageUtilization=50), external(value="1"))).has_object_or_external_metrics
    assert read(hpa(object_metric(value="1"))).has_object_or_external_metrics


def test_a_spec_is_read_once() -> None:
    planner = Planner(0.1, configurable_tolerance=True)
    first = planner.plan("default/web", "default", hpa()["spec"])
    assert planner.plan("default/web", "default", hpa()["spec"]) is first
    changed = planner.plan("default/web", "default", hpa(maxReplicas=3)["spec"])
    assert changed.max_replicas == 3
    planner.forget("default/web")
    planner.forget("default/web")
    assert planner.plan("default/web", "default", changed.spec) is not changed
