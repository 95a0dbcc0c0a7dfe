"""Status and spec: each endpoint writes its own part of an object."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_STRATEGY = "PrepareForUpdate of the kinds' strategies"


def _both(api: Api, plural: str, body: dict[str, Any], spec: dict[str, Any], status: dict[str, Any]) -> None:
    """Create with a status, then write spec and status together through each endpoint."""
    api.post(api.to(plural), {**body, "status": status})
    name = body["metadata"]["name"]
    api.patch(api.to(plural, name), {"spec": spec, "status": status})
    api.patch(api.to(plural, name, "status"), {"spec": spec, "status": status})
    api.get(api.to(plural, name, "status"))


@api_scenario(
    "status/of-replicasets", must="A ReplicaSet's status MUST change through its own endpoint only.", source=_STRATEGY
)
def of_replicasets(api: Api) -> None:
    _both(api, "replicasets", bodies.workload(), {"replicas": 3}, {"replicas": 2, "readyReplicas": 1})


@api_scenario(
    "status/of-deployments", must="A Deployment's status MUST change through its own endpoint only.", source=_STRATEGY
)
def of_deployments(api: Api) -> None:
    status = {"replicas": 2, "readyReplicas": 1, "conditions": [{"type": "Available", "status": "True"}]}
    _both(api, "deployments", bodies.workload("Deployment"), {"replicas": 3}, status)


@api_scenario(
    "status/of-statefulsets", must="A StatefulSet's status MUST change through its own endpoint only.", source=_STRATEGY
)
def of_statefulsets(api: Api) -> None:
    body = bodies.workload("StatefulSet", serviceName="web")
    _both(api, "statefulsets", body, {"replicas": 3}, {"replicas": 2, "currentRevision": "web-1"})


@api_scenario(
    "status/of-daemonsets", must="A DaemonSet's status MUST change through its own endpoint only.", source=_STRATEGY
)
def of_daemonsets(api: Api) -> None:
    status = {"currentNumberScheduled": 1, "numberMisscheduled": 0, "desiredNumberScheduled": 2, "numberReady": 1}
    _both(api, "daemonsets", bodies.workload("DaemonSet"), {"minReadySeconds": 3}, status)


@api_scenario(
    "status/of-autoscalers", must="An autoscaler's status MUST change through its own endpoint only.", source=_STRATEGY
)
def of_autoscalers(api: Api) -> None:
    status: dict[str, Any] = {"currentReplicas": 1, "desiredReplicas": 2, "currentMetrics": None, "conditions": []}
    _both(api, "horizontalpodautoscalers", bodies.autoscaler(), {"maxReplicas": 9}, status)


@api_scenario(
    "status/of-pods",
    must="A pod's status MUST change through its own endpoint only.",
    source="pkg/registry/core/pod/strategy.go",
)
def of_pods(api: Api) -> None:
    status = {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}
    _both(api, "pods", bodies.pod(), {"activeDeadlineSeconds": 5}, status)


@api_scenario(
    "status/of-budgets",
    must="A budget's status MUST change through its own endpoint only.",
    source="pkg/registry/policy/poddisruptionbudget/strategy.go",
)
def of_budgets(api: Api) -> None:
    status = {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}
    _both(api, "poddisruptionbudgets", bodies.budget(minAvailable=1), {"minAvailable": 2}, status)


@api_scenario(
    "status/of-jobs",
    must="A Job's status MUST change through its own endpoint only.",
    source="pkg/registry/batch/job/strategy.go",
)
def of_jobs(api: Api) -> None:
    api.post(api.to("jobs"), {**bodies.job(), "status": {"active": 5}})
    api.patch(api.to("jobs", "work"), {"spec": {"parallelism": 2}, "status": {"active": 2}})
    api.patch(api.to("jobs", "work", "status"), {"status": {"active": 2, "startTime": "2026-01-01T00:00:00Z"}})


@api_scenario(
    "status/of-quotas",
    must="A quota's status MUST change through its own endpoint only.",
    source="pkg/registry/core/resourcequota/strategy.go",
)
def of_quotas(api: Api) -> None:
    api.post(api.to("resourcequotas"), {**bodies.quota(pods="5"), "status": {"hard": {"pods": "1"}}})
    path = api.to("resourcequotas", "limit", "status")
    api.patch(path, {"spec": {"hard": {"pods": "9"}}, "status": {"hard": {"pods": "5"}, "used": {"pods": "2"}}})


@api_scenario(
    "status/of-definitions-without",
    must="Where a definition has no status subresource, a status MUST be a field like any other.",
    source="apiextensions-apiserver/pkg/registry/customresource/strategy.go",
)
def without_subresource(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    path = api.to_custom(f"{group}/v1", "widgets")
    api.post(path, bodies.custom(group, spec={"size": 1}, status={"size": 1}))
    api.patch(f"{path}/one", {"status": {"size": 2}})
    api.patch(f"{path}/one/status", {"status": {"size": 3}})
    api.get(f"{path}/one/status")


@api_scenario(
    "status/of-definitions-with",
    must="Where a definition has a status subresource, the status MUST change through it only.",
    source="apiextensions-apiserver/pkg/registry/customresource/status_strategy.go",
)
def with_subresource(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group, subresources={"status": {}}))
    path = api.to_custom(f"{group}/v1", "widgets")
    made = api.post(path, bodies.custom(group, spec={"size": 1}, status={"size": 1})).body
    api.patch(f"{path}/one", {"spec": {"size": 2}, "status": {"size": 2}})
    api.patch(f"{path}/one/status", {"spec": {"size": 3}, "status": {"size": 3}, "metadata": {"labels": {"a": "b"}}})
    api.put(f"{path}/one/status", {**made, "status": {"size": 4}})
    made["metadata"].pop("resourceVersion")
    api.put(f"{path}/one/status", {**made, "status": {"size": 4}})
    api.get(f"{path}/one")


@api_scenario(
    "status/metadata",
    must="A write of a status MUST leave what strategies protect in the metadata alone.",
    source=_STRATEGY,
)
def metadata(api: Api) -> None:
    change = {"metadata": {"labels": {"new": "label"}, "annotations": {"new": "note"}, "finalizers": ["example.com/x"]}}
    api.post(api.to("pods"), bodies.pod())
    api.patch(api.to("pods", "one", "status"), change)
    api.post(api.to("replicasets"), bodies.workload())
    api.patch(api.to("replicasets", "web", "status"), change)
    api.post(api.to("deployments"), bodies.workload("Deployment"))
    api.patch(api.to("deployments", "web", "status"), change)
    api.post(api.to("horizontalpodautoscalers"), bodies.autoscaler())
    api.patch(api.to("horizontalpodautoscalers", "web", "status"), change)


@api_scenario(
    "status/invalid",
    must="Counts of a status MUST be sound.",
    source="pkg/apis/apps/validation/validation.go: ValidateReplicaSetStatus",
)
def invalid(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web", "status")
    for status in (
        {"replicas": -1},
        {"replicas": 1, "readyReplicas": 2},
        {"replicas": 1, "fullyLabeledReplicas": 2, "availableReplicas": 3},
        {"replicas": 2, "readyReplicas": 1, "availableReplicas": 2},
        {"replicas": 1, "observedGeneration": -1},
    ):
        api.patch(path, {"status": status})
    api.post(api.to("deployments"), bodies.workload("Deployment"))
    api.patch(api.to("deployments", "web", "status"), {"status": {"replicas": 1, "updatedReplicas": 2}})
    api.patch(api.to("deployments", "web", "status"), {"status": {"replicas": 1, "unavailableReplicas": -1}})


@api_scenario(
    "status/of-what-is-missing",
    must="A write of the status of nothing MUST be answered with 404.",
    source="apiserver/pkg/registry/generic/registry/store.go: Update",
)
def missing(api: Api) -> None:
    api.patch(api.to("replicasets", "web", "status"), {"status": {"replicas": 1}})
    api.put(api.to("replicasets", "web", "status"), bodies.workload())
    api.get(api.to("replicasets", "web", "status"))
    api.delete(api.to("replicasets", "web", "status"))
    api.post(api.to("replicasets", "web", "status"), bodies.workload())
