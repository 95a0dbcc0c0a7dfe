"""What a pod requests: the denominator of utilization.

The requests of all containers and side-cars, or those of the pod as a whole where it has any. A single pod of the
selector without a request for the resource leaves the HPA without a utilization.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.world import Lifecycle
from lockstep_conformance.hpa.steps import messages
from lockstep_conformance.hpa.tables import (
    BOTH,
    Example,
    expect_unable,
    pod_of,
    prepare,
    requesting,
    shown,
    sync,
    work_out,
)

_REQUESTS = "pkg/controller/podautoscaler/replica_calculator.go: calculateRequests"
_CONTAINERS = "pkg/controller/podautoscaler/replica_calculator.go: calculatePodRequestsFromContainers"
_RATIO = "pkg/controller/podautoscaler/metrics/utilization.go: GetResourceUtilizationRatio"


@scenario(
    "hpa/requests-of-all-containers-add-up",
    must="A pod's request MUST be the sum over its containers and its restartable init containers, and MUST NOT "
    "include that of an ordinary init container.",
    source=_CONTAINERS,
    controllers=BOTH,
)
async def test_requests_of_all_containers_add_up(cluster: Cluster) -> None:
    setup = requesting("8", name="setup")
    sidecar = requesting("300m", name="proxy") | {"restartPolicy": "Always"}
    usage = {"app": "500m", "proxy": "100m"}
    await work_out(
        cluster,
        {
            "two": Example([usage] * 2, 3, 75, pod=pod_of(requesting("500m"), requesting("300m", name="proxy"))),
            "with-sidecar": Example([usage] * 2, 3, 75, pod=pod_of(requesting("500m"), initContainers=[sidecar])),
            "with-setup": Example([usage] * 2, 3, 75, pod=pod_of(requesting("800m"), initContainers=[setup])),
        },
    )


@scenario(
    "hpa/one-missing-request-stops-utilization",
    must="If one container of one pod requests nothing of the resource, the HPA MUST name the container and the pod, "
    "and MUST NOT scale.",
    source=_CONTAINERS,
    issues=("kubernetes/kubernetes#87935", "kubernetes/kubernetes#107676"),
    controllers=BOTH,
)
async def test_one_missing_request_stops_utilization(cluster: Cluster) -> None:
    without = pod_of(requesting(), requesting(None, name="proxy", memory="1Gi"))
    examples = {"web": Example([{"app": "2", "proxy": "0"}] * 2, 2, None, pod=[pod_of(), without])}
    await prepare(cluster, examples)
    await sync(cluster, examples)
    error = "failed to get cpu utilization: missing request for cpu in container proxy of Pod web-1"
    expect_unable(cluster, "FailedGetResourceMetric", error)
    cluster.expect("what the status shows", shown(cluster), None)
    cluster.expect("what the event says", messages(cluster, "FailedGetResourceMetric"), [error])
    invalid = "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: "
    cluster.expect("what the sync says", messages(cluster, "FailedComputeMetricsReplicas"), [invalid + error])


@scenario(
    "hpa/ignored-pod-without-request-stops-utilization",
    must="A pod of the selector that requests nothing MUST stop utilization even if it has failed, or is being "
    "deleted, and is not counted itself.",
    source=(_REQUESTS, "pkg/controller/podautoscaler/replica_calculator.go: groupPods"),
    issues=("kubernetes/kubernetes#86151", "kubernetes/kubernetes#87935"),
    controllers=BOTH,
)
async def test_ignored_pod_without_request_stops_utilization(cluster: Cluster) -> None:
    examples = {name: Example(["1"] * 2, 2, None) for name in ("failed", "deleted")}
    cluster.kubelet.lifecycles.for_labels({"app": "failed", "test": ""}, Lifecycle(fails_after=10))
    cluster.kubelet.lifecycles.for_labels({"app": "deleted", "test": ""}, Lifecycle(stop_after=None))
    plain = pod_of(requesting(None), restartPolicy="Never")
    owner = await cluster.create(objects.deployment("other"))
    for name in examples:
        await cluster.create(objects.pod(f"{name}-test", {"app": name, "test": ""}, owner=owner, **plain))
    await prepare(cluster, examples)
    await cluster.delete("pods", "deleted-test")  # it takes its 30 s to end
    await sync(cluster, examples)
    cluster.expect("phase of the failed pod", cluster.get("pods", "failed-test")["status"]["phase"], "Failed")
    cluster.expect_true("the deleted pod is still there", cluster.find("pods", "deleted-test"))
    for name in examples:
        error = f"failed to get cpu utilization: missing request for cpu in container app of Pod {name}-test"
        expect_unable(cluster, "FailedGetResourceMetric", error, name)


@scenario(
    "hpa/requests-of-zero-give-no-utilization",
    must="If the pods with metrics request nothing at all, the HPA MUST report that it has no utilization, and MUST "
    "NOT scale.",
    source=_RATIO,
    controllers=BOTH,
)
async def test_requests_of_zero_give_no_utilization(cluster: Cluster) -> None:
    examples = {"web": Example(["1"] * 2, 2, None, pod=pod_of(requesting("0")))}
    await prepare(cluster, examples)
    await sync(cluster, examples)
    error = "failed to get cpu utilization: no metrics returned matched known pods"
    expect_unable(cluster, "FailedGetResourceMetric", error)
