"""Pods whose status lacks what the HPA looks at for CPU: a start, a Ready condition, or since when that holds.

Kubelets write all of these. Other owners of pods need not, and the API server does not ask for them.
"""

from __future__ import annotations

from collections.abc import Mapping

from lockstep import Cluster, HpaOptions, Options, scenario
from lockstep.metrics import row
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.tables import BOTH, Example, expect_all, expect_unable, pod_of, prepare, sync

_GROUPS = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_NOBODY = "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"
#: The initialization period is over when the HPAs sync.
_ENDED = Options(hpa=HpaOptions(cpu_initialization_period=30.0))
_START = "2000-01-01T00:00:01Z"
#: No kubelet gets these pods: their status is what the scenario says.
_UNBOUND = pod_of(schedulerName="none")


def _ready(status: str = "True") -> Object:
    return {"type": "Ready", "status": status}


async def _synced(cluster: Cluster, examples: Mapping[str, Example], states: Mapping[str, Object]) -> None:
    """One sync of each example, whose only pod runs and has this status."""
    running = {"name": "app", "image": "", "imageID": "", "ready": True, "restartCount": 0, "state": {"running": {}}}
    await prepare(cluster, examples)
    for name, state in states.items():
        status = {"phase": "Running", "containerStatuses": [running], **state}
        await cluster.set_status("pods", f"{name}-0", status)
    await sync(cluster, examples)


@scenario(
    "hpa/pod-without-start-or-condition-is-unready",
    must="A pod without a start time, or without a Ready condition, MUST NOT count for CPU, whatever its age; one "
    "whose Ready condition is Unknown MUST count.",
    source=_GROUPS,
    controllers=BOTH,
    options=_ENDED,
)
async def test_pod_without_start_or_condition_is_unready(cluster: Cluster) -> None:
    since = {"lastTransitionTime": "2000-01-01T00:00:02Z"}
    states: dict[str, Object] = {
        "ready": {"startTime": _START, "conditions": [_ready() | since]},
        "unknown": {"startTime": _START, "conditions": [_ready("Unknown") | since]},
        "no-start": {"conditions": [_ready() | since]},
        "no-condition": {"startTime": _START},
    }
    examples = {name: Example(["1"], 2, 100, pod=[_UNBOUND]) for name in states}
    await _synced(cluster, examples, states)
    expect_all(cluster, {name: examples[name] for name in ("ready", "unknown")})
    for name in ("no-start", "no-condition"):
        expect_unable(cluster, "FailedGetResourceMetric", _NOBODY, name)


@scenario(
    "hpa/pod-ready-since-nobody-knows-when-counts",
    must="In the initialization period, a ready pod that does not say since when MUST count, however old its sample "
    "is.",
    source=_GROUPS,
    controllers=BOTH,
)
async def test_pod_ready_since_nobody_knows_when_counts(cluster: Cluster) -> None:
    examples = {"web": Example([row("1", age=59)], 2, 100, pod=[_UNBOUND])}
    await _synced(cluster, examples, {"web": {"startTime": _START, "conditions": [_ready()]}})
    expect_all(cluster, examples)


@scenario(
    "hpa/unready-since-nobody-knows-when",
    must="After the initialization period, a pod that is not ready and does not say since when MUST count as one that "
    "has never been ready.",
    source=_GROUPS,
    controllers=BOTH,
    options=_ENDED,
)
async def test_unready_since_nobody_knows_when(cluster: Cluster) -> None:
    examples = {"web": Example(["1"], 1, None, pod=[_UNBOUND])}
    await _synced(cluster, examples, {"web": {"startTime": _START, "conditions": [_ready("False")]}})
    expect_unable(cluster, "FailedGetResourceMetric", _NOBODY)
