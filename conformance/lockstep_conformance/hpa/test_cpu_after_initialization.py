"""CPU of pods whose initialization period (five minutes by default) is over.

A pod counts unless it has never been ready: unless it ceased to be ready within 30 s from its start, by default. Its
sample may be old. Pods of these tables start at 1 s and are ready at 2 s, if nothing else is said; HPAs sync at 57 s.
"""

from __future__ import annotations

from lockstep import Cluster, HpaOptions, Options, objects, scenario
from lockstep.metrics import row
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import transitions
from lockstep_conformance.hpa.tables import BOTH, Example, expect_unable, work_out

_GROUPS = "pkg/controller/podautoscaler/replica_calculator.go: groupPods"
_ISSUES = ("kubernetes/kubernetes#67252", "kubernetes/kubernetes#68068")
_NOBODY = "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"


def _ended(period: float = 30.0, delay: float = 30.0) -> Options:
    """Flags with which the initialization period is over when the HPAs sync."""
    return Options(hpa=HpaOptions(cpu_initialization_period=period, initial_readiness_delay=delay))


@scenario(
    "hpa/old-samples-count-after-initialization",
    must="After the initialization period, a pod that is ready MUST count, however old its sample is; the period ends "
    "exactly so long after the start of the pod.",
    source=_GROUPS,
    issues=_ISSUES,
    controllers=BOTH,
    options=_ended(period=50),
    virtual="has margins of a second",
)
async def test_old_samples_count_after_initialization(cluster: Cluster) -> None:
    stale = [row("1", age=55)] * 2
    await work_out(
        cluster,
        {
            "long-over": Example(stale, 4, 100),
            "just-over": Example(stale, 4, 100, lifecycle=Lifecycle(start_after=7.0, ready_after=8.0)),
            "not-over": Example(stale, 2, None, lifecycle=Lifecycle(start_after=8.0, ready_after=8.0)),
        },
    )
    expect_unable(cluster, "FailedGetResourceMetric", _NOBODY, "not-over")


@scenario(
    "hpa/unready-pods-count-after-initialization",
    must="After the initialization period, a pod that is not ready MUST count if it ceased to be so when the initial "
    "readiness delay was over, and MUST NOT count if its readiness last changed before that.",
    source=_GROUPS,
    issues=_ISSUES,
    controllers=BOTH,
    options=_ended(),
    virtual="has margins of a second",
)
async def test_unready_pods_count_after_initialization(cluster: Cluster) -> None:
    def lost(at: float) -> Lifecycle:
        return Lifecycle(flaps=((at, False),))

    usage = [row("1", age=60)] * 2
    await work_out(
        cluster,
        {
            "lost-late": Example(usage, 4, 100, lifecycle=lost(45)),
            "lost-when-over": Example(usage, 4, 100, lifecycle=lost(31)),
            "lost-too-early": Example(usage, 2, None, lifecycle=lost(30)),
            "never-ready": Example(usage, 2, None, lifecycle=Lifecycle(ready_after=None)),
            "ready-again": Example(usage, 4, 100, lifecycle=Lifecycle(flaps=((10, False), (20, True)))),
        },
    )
    for name in ("lost-too-early", "never-ready"):
        expect_unable(cluster, "FailedGetResourceMetric", _NOBODY, name)


@scenario(
    "hpa/initial-readiness-delay-is-a-flag",
    must="The initial readiness delay MUST be that of the flag: with 0, a pod that was never ready counts when the "
    "initialization period is over.",
    source=_GROUPS,
    controllers=BOTH,
    options=_ended(delay=0),
)
async def test_initial_readiness_delay_is_a_flag(cluster: Cluster) -> None:
    never = Lifecycle(ready_after=None)
    average = objects.resource_metric("cpu", average="500m")
    await work_out(
        cluster,
        {
            "never-ready": Example(["1", "1"], 4, 100, lifecycle=never),
            "average": Example(["1", "1"], 4, "1", metric=average, lifecycle=never),
        },
    )


@scenario(
    "hpa/initialization-takes-five-minutes",
    must="By default, a pod that is not ready MUST count again from five minutes after its start on.",
    source=(_GROUPS, "cmd/kube-controller-manager/app/options/hpacontroller.go: AddFlags"),
    issues=_ISSUES,
    controllers=BOTH,
)
async def test_initialization_takes_five_minutes(cluster: Cluster) -> None:
    # Both pods cease to be ready at 100 s. They started at 12 s and 13 s: two syncs tell them apart.
    examples = {
        name: Example(["500m"], 1, 50, lifecycle=Lifecycle(start_after=at, ready_after=at, flaps=((100, False),)))
        for name, at in (("first", 12.0), ("second", 13.0))
    }
    await work_out(cluster, examples)
    await cluster.run_until(330)
    lost = [(57.0, "True ValidMetricFound"), (102.0, "False FailedGetResourceMetric")]
    for name, counts_at in (("first", 312.0), ("second", 327.0)):
        found = transitions(cluster, "ScalingActive", name)
        cluster.expect(f"{name}: when it has a utilization", found, [*lost, (counts_at, "True ValidMetricFound")])
