"""The status as it is written, and when it need not be: horizontal.go, setStatus and updateStatusIfNeeded."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep_reference.hpa.status import new_status, same_status
from tests.reference_hpa.kit import START


def test_what_is_written_even_if_it_is_nothing() -> None:
    assert new_status(0, 0, None, None, []) == {"desiredReplicas": 0, "currentMetrics": None}
    condition = {"type": "AbleToScale"}
    assert new_status(2, 3, START, [{"type": ""}], [condition]) == {
        "currentReplicas": 2,
        "desiredReplicas": 3,
        "lastScaleTime": START,
        "currentMetrics": [{"type": ""}],
        "conditions": [condition],
    }


def usage(**current: Any) -> dict[str, Any]:
    status = {"type": "Resource", "resource": {"name": "cpu", "current": current}}
    return {"desiredReplicas": 1, "currentMetrics": [status]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"desiredReplicas": 0, "currentMetrics": None}),
        ({"currentMetrics": []}, {"desiredReplicas": 0, "currentMetrics": None}),
        ({"currentReplicas": 0, "conditions": None}, {"desiredReplicas": 0, "currentMetrics": []}),
        (usage(averageValue="1"), usage(averageValue="1000m")),
        (usage(averageValue="1Ki"), usage(averageValue="1024")),
        (usage(averageUtilization=5, averageValue="1e3"), usage(averageUtilization=5, averageValue="1k")),
    ],
)
def test_what_means_the_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert same_status(old, new)
    assert same_status(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"observedGeneration": 1}, {}),
        ({"desiredReplicas": 1}, {"desiredReplicas": 2}),
        ({"lastScaleTime": START}, {}),
        (usage(averageValue="1"), usage(averageValue="1001m")),
        (usage(averageValue="1"), usage(averageValue="one")),
        (usage(averageUtilization=0), usage()),
        (usage(averageValue="0"), usage()),
        (usage(), {"desiredReplicas": 1}),
        (usage(), {"desiredReplicas": 1, "currentMetrics": [{"type": ""}]}),
        ({"conditions": [{"type": "A", "status": "True"}]}, {"conditions": [{"type": "A", "status": "False"}]}),
        ({"conditions": [{"type": "A"}, {"type": "B"}]}, {"conditions": [{"type": "B"}, {"type": "A"}]}),
    ],
)
def test_what_does_not(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert not same_status(old, new)
    assert not same_status(new, old)


def test_a_selector_of_nothing_is_not_no_selector() -> None:
    def external(metric: dict[str, Any]) -> dict[str, Any]:
        return {"currentMetrics": [{"type": "External", "external": {"metric": metric, "current": {"value": "1"}}}]}

    assert not same_status(external({"name": "q"}), external({"name": "q", "selector": {}}))
    assert same_status(
        external({"name": "q", "selector": {"matchLabels": {}}}), external({"name": "q", "selector": {}})
    )
