"""Stationary load: pods get what they need once, and are left alone then."""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import noisy
from lockstep_conformance.vpa.loop.steps import (
    DAY,
    HOUR,
    LOOP,
    SUMS,
    every,
    evictions,
    requests,
    serve,
    target,
)

_LOOP = ("pkg/recommender/routines/recommender.go: RunOnce", "pkg/updater/logic/updater.go: RunOnce")
_PRIORITY = "pkg/updater/priority/update_priority_calculator.go: AddPod"


@scenario(
    "vpa-recommender/loop-settles",
    must="Pods that ask for less than they use MUST be evicted one by one, come back with the target, and then be left "
    "alone.",
    source=_LOOP,
    issues=("kubernetes/autoscaler#4774", "kubernetes/autoscaler#6362"),
    controllers=LOOP,
    tolerance=SUMS,
)
async def test_loop_settles(cluster: Cluster) -> None:
    await serve(cluster, 3)
    await cluster.run(2 * HOUR)
    cluster.expect("evictions", evictions(cluster), [119.1, 179.1, 239.1])
    cluster.expect("requests", requests(cluster), [{"cpu": "350m", "memory": "511772986"}])
    cluster.expect("target", target(cluster), requests(cluster)[0])


@scenario(
    "vpa-recommender/loop-at-rest-for-seven-days",
    must="Under stationary load a pod fresh from admission MUST NOT be evicted again, for seven days.",
    source=(*_LOOP, _PRIORITY),
    issues=("kubernetes/autoscaler#9362", "kubernetes/autoscaler#2180"),
    controllers=LOOP,
    tolerance=SUMS,
    options=every(1800.0),
    horizon=8 * DAY,
)
async def test_loop_at_rest_for_seven_days(cluster: Cluster) -> None:
    await serve(cluster, 3)
    await cluster.run(4 * HOUR)
    settled = evictions(cluster)
    cluster.expect("evictions at first", len(settled), 3)
    await cluster.run(7 * DAY)
    cluster.expect("evictions afterwards", evictions(cluster)[len(settled) :], [])
    cluster.expect("requests", requests(cluster), [target(cluster)])


@scenario(
    "vpa-recommender/loop-with-noise",
    must="Noise MUST NOT bring about more than a few evictions of each pod, however often the target moves.",
    source=(*_LOOP, _PRIORITY),
    issues="kubernetes/autoscaler#9362",
    controllers=LOOP,
    tolerance=SUMS,
    options=every(600.0),
)
async def test_loop_with_noise(cluster: Cluster) -> None:
    await serve(cluster, 4, cpu=noisy("300m", 0.4), memory=noisy("400Mi", 0.2))
    await cluster.run(2 * DAY)
    happened = len(evictions(cluster))
    cluster.expect_true(f"4 to 12 evictions, not {happened}", 4 <= happened <= 12)


@scenario(
    "vpa-recommender/loop-of-pods-that-ask-for-enough",
    must="Pods whose requests lie within the bounds MUST NOT be evicted in their first twelve hours, and then only "
    "if the target is a tenth away.",
    source=_PRIORITY,
    issues=("kubernetes/autoscaler#6822", "kubernetes/autoscaler#3199"),
    controllers=LOOP,
    tolerance=SUMS,
    options=every(600.0),
)
async def test_loop_of_pods_that_ask_for_enough(cluster: Cluster) -> None:
    await serve(cluster, 2, requests={"cpu": "450m", "memory": "600Mi"})
    await cluster.run(11.5 * HOUR)
    cluster.expect("evictions at first", evictions(cluster), [])
    await cluster.run(2 * HOUR)
    cluster.expect("evictions afterwards", len(evictions(cluster)), 2)
    cluster.expect("requests", requests(cluster), [target(cluster)])


@scenario(
    "vpa-recommender/loop-with-a-pod-limit-range",
    must="With a LimitRange for pods below what is recommended a new pod MUST get what fits; its bounds are cut, so "
    "a pod of one container MUST NOT be evicted again.",
    source=(*_LOOP, "pkg/utils/vpa/capping.go: applyPodLimitRange"),
    issues="kubernetes/autoscaler#8776",
    controllers=LOOP,
    tolerance=SUMS,
)
async def test_loop_with_a_pod_limit_range(cluster: Cluster) -> None:
    await cluster.create(objects.limit_range("bounds", objects.limits("Pod", most={"cpu": "200m"})))
    await serve(cluster, 2, limits={"cpu": "100m", "memory": "512Mi"})
    await cluster.run(1 * HOUR)
    cluster.expect("evictions", len(evictions(cluster)), 2)
