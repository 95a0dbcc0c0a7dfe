"""Requests of a pod as a whole (`spec.resources`): they take the place of those of its containers.

For a resource that they do not name, it is what the scheduler would reserve: what the containers and side-cars need
together, or an init container with the side-cars before it if that is more. A pod's overhead comes on top.
"""

from __future__ import annotations

from lockstep import Cluster, Options, scenario
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.tables import (
    BOTH,
    Example,
    expect_unable,
    pod_of,
    prepare,
    requesting,
    sync,
    work_out,
)

_REQUESTS = "pkg/controller/podautoscaler/replica_calculator.go: calculateRequests"
_POD_LEVEL = "pkg/controller/podautoscaler/replica_calculator.go: calculatePodLevelRequests"
_HELPERS = "component-helpers/resource/helpers.go: PodRequests"
_ONLY_MEMORY: Object = {"requests": {"memory": "1Gi"}}


@scenario(
    "hpa/requests-of-the-pod-as-a-whole",
    must="Requests of the pod as a whole MUST take the place of those of its containers, also where a container has "
    "none.",
    source=(_REQUESTS, _POD_LEVEL),
    controllers=BOTH,
)
async def test_requests_of_the_pod_as_a_whole(cluster: Cluster) -> None:
    whole = {"requests": {"cpu": "2"}}
    await work_out(
        cluster,
        {
            "over-containers": Example(["1500m"] * 2, 3, 75, pod=pod_of(requesting("500m"), resources=whole)),
            "for-lack-of": Example(["1500m"] * 2, 3, 75, pod=pod_of(requesting(None), resources=whole)),
            "another-resource": Example(
                ["300m"] * 2, 3, 60, pod=pod_of(requesting("500m"), resources={"requests": {"memory": "1Gi"}})
            ),
        },
    )


@scenario(
    "hpa/requests-of-the-pod-without-the-gate",
    must="With PodLevelResources off, like all gates in beta, requests of the pod as a whole MUST NOT matter.",
    source=_REQUESTS,
    controllers=BOTH,
    # Not by its name: in some releases, gates that others do not know depend on it. The reference's ReplicaSet
    # controller has no gates, so what shows of it stays on.
    options=Options(feature_gates={"AllBeta": False, "DeploymentReplicaSetTerminatingReplicas": True}),
)
async def test_requests_of_the_pod_without_the_gate(cluster: Cluster) -> None:
    whole = {"requests": {"cpu": "2"}}
    await work_out(cluster, {"web": Example(["400m"] * 2, 4, 80, pod=pod_of(requesting("500m"), resources=whole))})


@scenario(
    "hpa/requests-of-the-pod-for-another-resource",
    must="If the requests of the pod as a whole do not name the resource, the larger one MUST count of what containers "
    "and side-cars need together, and what any init container needs with the side-cars before it.",
    source=(_POD_LEVEL, _HELPERS),
    controllers=BOTH,
)
async def test_requests_of_the_pod_for_another_resource(cluster: Cluster) -> None:
    small, large = requesting("500m"), requesting("2")
    setup, brief = requesting("1500m", name="setup"), requesting("100m", name="brief")
    sidecar = requesting("500m", name="proxy") | {"restartPolicy": "Always"}

    def example(app: str, proxy: str | None, *containers: Object, init: list[Object]) -> Example:
        usage = {"app": app} if proxy is None else {"app": app, "proxy": proxy}
        return Example([usage] * 2, 3, 75, pod=pod_of(*containers, initContainers=init, resources=_ONLY_MEMORY))

    await work_out(
        cluster,
        {
            "containers": example("1500m", None, large, init=[brief]),  # of 2 cores
            "init-container": example("1125m", None, small, init=[brief, setup]),  # of 1.5
            "sidecar": example("500m", "250m", small, init=[sidecar, brief]),  # of 1
            "sidecar-before": example("1200m", "300m", small, init=[sidecar, setup]),  # of 2
            "sidecar-behind": example("900m", "225m", small, init=[setup, sidecar]),  # of 1.5
            "none-of-one": example("375m", "0", small, requesting(None, name="proxy"), init=[]),  # of 0.5
        },
    )


@scenario(
    "hpa/requests-of-the-pod-with-overhead",
    must="The overhead of a pod MUST be added to its request if there are requests of the pod as a whole, and MUST NOT "
    "count if there are none.",
    source=(_REQUESTS, _HELPERS),
    controllers=BOTH,
    virtual="sets the overhead of pods, which admission of a real cluster takes from their RuntimeClass",
)
async def test_requests_of_the_pod_with_overhead(cluster: Cluster) -> None:
    heavy: Object = {"overhead": {"cpu": "500m"}, "runtimeClassName": "heavy"}
    whole: Object = {"requests": {"cpu": "1500m"}}
    await work_out(
        cluster,
        {
            "whole": Example(["1500m"] * 2, 3, 75, pod=pod_of(resources=whole, **heavy)),
            "another-resource": Example(["1125m"] * 2, 3, 75, pod=pod_of(resources=_ONLY_MEMORY, **heavy)),
            "containers": Example(["750m"] * 2, 3, 75, pod=pod_of(**heavy)),
        },
    )


@scenario(
    "hpa/requests-of-the-pod-that-are-missing",
    must="If neither the pod as a whole nor any of its containers requests the resource, the HPA MUST name the pod, "
    "and MUST NOT scale.",
    source=_POD_LEVEL,
    controllers=BOTH,
)
async def test_requests_of_the_pod_that_are_missing(cluster: Cluster) -> None:
    examples = {"web": Example(["1"], 1, None, pod=[pod_of(requesting(None), resources=_ONLY_MEMORY)])}
    await prepare(cluster, examples)
    await sync(cluster, examples)
    error = "failed to get cpu utilization: missing pod-level request for cpu in Pod web-0"
    expect_unable(cluster, "FailedGetResourceMetric", error)
