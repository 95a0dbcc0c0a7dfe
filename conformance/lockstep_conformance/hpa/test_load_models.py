"""The closed loop: usage depends on the demand and the number of ready pods, and that number on usage.

Each pod requests one core with a target of 50 %, so a demand of 3 cores needs 6 pods.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.metrics import constant, each, ramp, shared, steps
from lockstep_conformance.hpa.served import serve
from lockstep_conformance.hpa.steps import counts, reason, scales, status

_LOOP = "pkg/controller/podautoscaler/horizontal.go: reconcileAutoscaler"


@scenario(
    "hpa/constant-demand-is-met-once",
    must="A constant demand MUST be met step by step, and then replicas MUST NOT change.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-constant"),
)
async def test_constant_demand_is_met_once(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(constant(3)))
    await serve(cluster, 1)
    await cluster.run_until(1800)
    # The scale-up limit allows 4 of 6. The rest follows at once: the recommendation is in the window.
    cluster.expect("scales", scales(cluster), [(30.0, 4), (45.0, 6)])
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 50, "averageValue": "500m"})


@scenario(
    "hpa/demand-in-steps",
    must="Replicas MUST follow a demand that jumps: up at the next sync that sees it, down when the window is over.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-steps"),
)
async def test_demand_in_steps(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(steps((0, 1.0), (300, 2.5), (900, 0.5), (960, 1.5), (1500, 0.2))))
    await serve(cluster, 2)
    await cluster.run_until(2400)
    # At 300 s the limit is 4. The dip of 900 s has no effect: when 5 leaves the window, 3 is still in it.
    cluster.expect("scales", scales(cluster), [(300.0, 4), (315.0, 5), (1200.0, 3), (1800.0, 1)])


@scenario(
    "hpa/demand-on-a-ramp",
    must="Replicas MUST follow a demand that rises evenly, one by one, each time it exceeds the tolerance.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-ramp"),
)
async def test_demand_on_a_ramp(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(ramp(60, 660, 1.0, 4.0)))
    await serve(cluster, 2)
    await cluster.run_until(900)
    cluster.expect("scales", scales(cluster), [(90.0, 3), (210.0, 4), (315.0, 5), (420.0, 6), (540.0, 7), (645.0, 8)])
    cluster.expect("replicas, desired", counts(cluster), (8, 8))


@scenario(
    "hpa/usage-that-replicas-do-not-share",
    must="If each replica uses the same whatever their number, replicas MUST grow to the maximum.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-each"),
)
async def test_usage_that_replicas_do_not_share(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=each("600m"))
    await serve(cluster, 5, max_replicas=9)
    await cluster.run_until(600)
    # New pods have no metrics yet at 45 s and 75 s, and count as idle.
    cluster.expect("scales", scales(cluster), [(30.0, 6), (60.0, 8), (90.0, 9)])
    cluster.expect("ScalingLimited", reason(cluster, "ScalingLimited"), "True TooManyReplicas")


@scenario(
    "hpa/usage-that-a-limit-cuts-off",
    must="If pods cannot use more than their limit, demand beyond it MUST become visible only as replicas are added.",
    source=_LOOP,
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-at-most"),
)
async def test_usage_that_a_limit_cuts_off(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(12, at_most="700m"))
    up = objects.behavior(up=objects.scaling(("Percent", 900, 15)))
    await serve(cluster, 2, max_replicas=40, behavior=up)
    await cluster.run_until(600)
    # At 70 % instead of 50 %, each step is to 7/5 of the pods, rounded up.
    cluster.expect(
        "scales", scales(cluster), [(30.0, 3), (60.0, 5), (90.0, 7), (120.0, 10), (150.0, 14), (180.0, 20), (210.0, 24)]
    )


@scenario(
    "hpa/two-containers-two-loads",
    must="Utilization MUST be that of all containers together: a sidecar's usage and its request count, too.",
    source="pkg/controller/podautoscaler/metrics/client.go: getPodMetrics",
    controllers=("hpa", "replicaset"),
    features=("closed-loop", "load-each", "load-shared"),
)
async def test_two_containers_two_loads(cluster: Cluster) -> None:
    cluster.metrics.load("web", cpu=shared(4), container="app")
    cluster.metrics.load("web", cpu=each("200m"), container="proxy")
    containers = [
        objects.container("app", resources={"requests": {"cpu": "1"}}),
        objects.container("proxy", resources={"requests": {"cpu": "200m"}}),
    ]
    template = objects.pod_template({"app": "web"}, containers=containers)
    cpu = objects.resource_metric("cpu", utilization=50)
    await cluster.create(objects.replica_set("web", 4, template=template))
    await cluster.create(objects.hpa("web", max_replicas=20, metrics=[cpu]))
    await cluster.run_until(600)
    cluster.expect("scales", scales(cluster), [(30.0, 8), (60.0, 10)])
    # 4 cores and 0.2 for each of 10 pods, which request 1.2
    current = status(cluster)["currentMetrics"][0]["resource"]["current"]
    cluster.expect("utilization", current, {"averageUtilization": 50, "averageValue": "600m"})
