"""Ages, columns and paths."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.objects.definitions import vpa_definition
from lockstep.serving.paths import value_at
from lockstep.serving.tables.ages import human_duration
from lockstep.serving.tables.columns import columns_of
from lockstep.time.clock import SECOND

_YEAR = 365 * 86_400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (599, "9m59s"),
        (600, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600, "3h"),
        (8 * 3600 - 60, "7h59m"),
        (47 * 3600, "47h"),
        (48 * 3600, "2d"),
        (8 * 86_400 - 3600, "7d23h"),
        (8 * 86_400, "8d"),
        (2 * _YEAR, "2y"),
        (3 * _YEAR + 86_400, "3y1d"),
        (8 * _YEAR, "8y"),
    ],
)
def test_ages_are_upstreams(seconds: int, text: str) -> None:
    """The cases of TestHumanDuration (apimachinery/pkg/util/duration)."""
    assert human_duration(seconds) == text


def _pod(state: dict[str, Any], **status: Any) -> dict[str, Any]:
    container = {"name": "app", "state": state, "ready": "running" in state, "restartCount": 0}
    spec = {"containers": [{"name": "app"}]}
    return {"metadata": {"name": "web"}, "spec": spec, "status": {**status, "containerStatuses": [container]}}


@pytest.mark.parametrize(
    ("pod", "ready", "word"),
    [
        (_pod({"running": {}}, phase="Running"), "1/1", "Running"),
        (_pod({"waiting": {"reason": "CrashLoopBackOff"}}, phase="Running"), "0/1", "CrashLoopBackOff"),
        (_pod({"terminated": {"reason": "OOMKilled", "exitCode": 137}}, phase="Failed"), "0/1", "OOMKilled"),
        (_pod({"terminated": {"exitCode": 3}}, phase="Failed"), "0/1", "ExitCode:3"),
        (_pod({}, phase="Failed", reason="Evicted"), "0/1", "Evicted"),
    ],
)
def test_a_pods_status_is_one_word(pod: dict[str, Any], ready: str, word: str) -> None:
    assert columns_of("pods", None, "v1").cells(pod, 0)[1:3] == [ready, word]


def test_a_custom_resource_has_the_columns_of_its_definition() -> None:
    column = {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'}
    definition = {"spec": {"versions": [{"name": "v1", "additionalPrinterColumns": [column]}]}}
    columns = columns_of("things.example.com", definition, "v1")
    conditions = [{"type": "Old", "status": "False"}, {"type": "Ready", "status": "True"}]
    thing = {"metadata": {"name": "one"}, "status": {"conditions": conditions}}
    assert [one["name"] for one in columns.definitions] == ["Name", "Ready"]
    assert columns.cells(thing, 0) == ["one", "True"]


def test_a_vertical_pod_autoscaler_has_upstreams_columns() -> None:
    columns = columns_of("verticalpodautoscalers.autoscaling.k8s.io", vpa_definition(), "v1")
    recommended = [{"containerName": "app", "target": {"cpu": "25m", "memory": "262144k"}}]
    vpa = {
        "metadata": {"name": "web", "creationTimestamp": "2000-01-01T00:00:00Z"},
        "spec": {"updatePolicy": {"updateMode": "Recreate"}},
        "status": {
            "conditions": [{"type": "RecommendationProvided", "status": "True"}],
            "recommendation": {"containerRecommendations": recommended},
        },
    }
    shown = [column["name"] for column in columns.definitions if not column["priority"]]
    assert shown == ["Name", "Mode", "CPU", "Mem", "Provided", "Age"]
    assert columns.cells(vpa, 60 * SECOND)[:6] == ["web", "Recreate", "25m", "262144k", "True", "60s"]


@pytest.mark.parametrize(
    ("path", "value"), [(".a.b", 1), (".list[1]", "y"), (".list[*]", "x"), (".none", None), ("a b", None)]
)
def test_simple_json_paths(path: str, value: Any) -> None:
    assert value_at({"a": {"b": 1}, "list": ["x", "y"]}, path) == value
