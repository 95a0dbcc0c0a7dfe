"""The scale subresource: one shape for the size of everything that has one."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_SCALE = "pkg/registry/apps/deployment/storage/storage.go: ScaleREST"
_CUSTOM = "apiextensions-apiserver/pkg/registry/customresource/etcd.go: ScaleREST"


def _through(api: Api, plural: str, body: dict[str, Any]) -> None:
    api.post(api.to(plural), body)
    path = api.to(plural, body["metadata"]["name"], "scale")
    scale = api.get(path).body
    api.put(path, {**scale, "spec": {"replicas": 4}})
    api.put(path, {**scale, "spec": {"replicas": 5}})
    api.patch(path, {"spec": {"replicas": 6}})
    api.patch(path, [{"op": "replace", "path": "/spec/replicas", "value": 7}], "json")
    api.patch(path, {"spec": {"replicas": 7}}, "strategic")
    api.get(path.removesuffix("/scale"))


@api_scenario("scale/of-replicasets", must="A ReplicaSet's scale MUST read and write its size.", source=_SCALE)
def of_replicasets(api: Api) -> None:
    _through(api, "replicasets", bodies.workload())


@api_scenario("scale/of-deployments", must="A Deployment's scale MUST read and write its size.", source=_SCALE)
def of_deployments(api: Api) -> None:
    _through(api, "deployments", bodies.workload("Deployment"))


@api_scenario("scale/of-statefulsets", must="A StatefulSet's scale MUST read and write its size.", source=_SCALE)
def of_statefulsets(api: Api) -> None:
    _through(api, "statefulsets", bodies.workload("StatefulSet", serviceName="web"))


@api_scenario(
    "scale/of-replicationcontrollers",
    must="A ReplicationController's scale MUST read and write its size.",
    source=_SCALE,
)
def of_replicationcontrollers(api: Api) -> None:
    body = bodies.workload("ReplicationController", selector=dict(bodies.LABELS))
    _through(api, "replicationcontrollers", {**body, "apiVersion": "v1"})


@api_scenario(
    "scale/status-and-selector", must="A scale MUST show the observed size and the selector as text.", source=_SCALE
)
def status_and_selector(api: Api) -> None:
    expressions = [
        {"key": "tier", "operator": "In", "values": ["b", "a"]},
        {"key": "gone", "operator": "DoesNotExist"},
        {"key": "there", "operator": "Exists"},
        {"key": "no", "operator": "NotIn", "values": ["x"]},
    ]
    body = bodies.workload(selector={"matchLabels": {"app": "web", "a": "b"}, "matchExpressions": expressions})
    body["spec"]["template"]["metadata"]["labels"] = {"app": "web", "a": "b", "tier": "a", "there": "1"}
    api.post(api.to("replicasets"), body)
    api.patch(api.to("replicasets", "web", "status"), {"status": {"replicas": 3}})
    api.get(api.to("replicasets", "web", "scale"))


@api_scenario(
    "scale/invalid",
    must="A size below zero, or of another type, MUST be refused.",
    source="pkg/apis/autoscaling/validation/validation.go: ValidateScale",
)
def invalid(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web", "scale")
    api.patch(path, {"spec": {"replicas": -1}})
    api.patch(path, {"spec": {"replicas": "many"}})
    api.patch(path, {"spec": {"replicas": None}})
    api.patch(path, {"metadata": {"name": "other"}})
    scale = api.get(path).body
    api.put(path, {**scale, "metadata": {**scale["metadata"], "name": "other"}})
    api.put(path, {**scale, "kind": "ReplicaSet"})
    api.put(path, {"metadata": {"name": "web"}, "spec": {"replicas": 2}})


@api_scenario("scale/stale", must="A scale with an old version or another uid MUST be refused with 409.", source=_SCALE)
def stale(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    path = api.to("replicasets", "web", "scale")
    scale = api.get(path).body
    api.patch(api.to("replicasets", "web"), {"metadata": {"labels": {"a": "b"}}})
    api.put(path, {**scale, "spec": {"replicas": 2}})
    api.patch(path, {"metadata": {"resourceVersion": scale["metadata"]["resourceVersion"]}, "spec": {"replicas": 2}})
    api.patch(path, {"metadata": {"uid": "11111111-2222-4333-8444-555555555555"}, "spec": {"replicas": 2}})


@api_scenario(
    "scale/of-what-is-missing",
    must="The scale of nothing, or of what has none, MUST be answered with 404.",
    source=_SCALE,
)
def missing(api: Api) -> None:
    api.get(api.to("replicasets", "web", "scale"))
    api.patch(api.to("deployments", "web", "scale"), {"spec": {"replicas": 2}})
    api.put(api.to("statefulsets", "web", "scale"), {"metadata": {"name": "web"}, "spec": {"replicas": 2}})
    api.get(api.to("daemonsets", "web", "scale"))
    api.post(api.to("replicasets"), bodies.workload())
    api.delete(api.to("replicasets", "web", "scale"))


@api_scenario("scale/dry-run", must="A dry run of a scale MUST change nothing.", source=_SCALE)
def dry_run(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    api.patch(api.to("replicasets", "web", "scale"), {"spec": {"replicas": 9}}, dryRun="All")
    api.get(api.to("replicasets", "web"))


@api_scenario(
    "scale/of-custom-resources",
    must="A custom resource's scale MUST lead to the paths that its definition names.",
    source=_CUSTOM,
)
def of_custom(api: Api) -> None:
    group = f"{api.token}.example.com"
    paths = {
        "specReplicasPath": ".spec.size",
        "statusReplicasPath": ".status.size",
        "labelSelectorPath": ".status.selector",
    }
    api.define(bodies.definition(group, subresources={"status": {}, "scale": paths}))
    path = api.to_custom(f"{group}/v1", "widgets")
    api.post(path, bodies.custom(group, spec={"size": 1}))
    scale = api.get(f"{path}/one/scale").body
    api.put(f"{path}/one/scale", {**scale, "spec": {"replicas": 2}})
    api.patch(f"{path}/one/scale", {"spec": {"replicas": 3}})
    api.patch(f"{path}/one/status", {"status": {"size": 2, "selector": "app=web"}})
    api.get(f"{path}/one/scale")
    api.patch(f"{path}/one/scale", {"spec": {"replicas": -1}})
    api.get(f"{path}/one")


@api_scenario(
    "scale/of-custom-resources-without-size",
    must="A custom resource without a size MUST have a scale of zero that can be written.",
    source=_CUSTOM,
)
def without_size(api: Api) -> None:
    group = f"{api.token}.example.com"
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    api.define(bodies.definition(group, subresources={"status": {}, "scale": paths}))
    path = api.to_custom(f"{group}/v1", "widgets")
    api.post(path, bodies.custom(group))
    api.get(f"{path}/one/scale")
    api.patch(f"{path}/one/scale", {"spec": {"replicas": 3}})
    api.get(f"{path}/one")


@api_scenario("scale/no-op", must="A scale that changes nothing MUST NOT change the size.", source=_SCALE)
def no_op(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload(replicas=2))
    api.patch(api.to("replicasets", "web", "scale"), {"spec": {"replicas": 2}})
    api.get(api.to("replicasets", "web"))
