"""Defaults and validation of workloads, autoscalers, budgets, jobs, leases, events and webhooks."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_DEFAULTS = "pkg/apis/apps/v1/defaults.go"
_APPS = "pkg/apis/apps/validation/validation.go"
_HPA = "pkg/apis/autoscaling/validation/validation.go"


def _tried(api: Api, plural: str, *tried: dict[str, Any]) -> None:
    for body in tried:
        api.post(api.to(plural), body, dryRun="All")


@api_scenario("workloads/defaults", must="Workloads MUST get the defaults of their kind.", source=_DEFAULTS)
def defaults(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    api.post(api.to("deployments"), bodies.workload("Deployment"))
    api.post(api.to("statefulsets"), bodies.workload("StatefulSet", serviceName="web"))
    api.post(api.to("daemonsets"), bodies.workload("DaemonSet"))
    body = bodies.workload("ReplicationController", selector=None)
    api.post(api.to("replicationcontrollers"), {**body, "apiVersion": "v1"})


@api_scenario(
    "workloads/defaults-of-pods",
    must="A pod's containers, probes and ports MUST get their defaults.",
    source="pkg/apis/core/v1/defaults.go",
)
def pod_defaults(api: Api) -> None:
    probe = {"httpGet": {"path": "/", "port": 80}}
    full = bodies.container(ports=[{"containerPort": 80}], readinessProbe=probe, env=[{"name": "A", "value": "1"}])
    latest = bodies.container("latest", image="nginx")
    first = bodies.container("first", image="busybox:1", resources={"limits": {"cpu": "1"}})
    api.post(api.to("pods"), bodies.pod(spec={"containers": [full, latest], "initContainers": [first]}))


@api_scenario(
    "workloads/invalid-replicasets",
    must="A ReplicaSet MUST have a selector that fits its template, and a sound size.",
    source=_APPS,
)
def invalid_replicasets(api: Api) -> None:
    empty = bodies.workload(selector={})
    without = bodies.workload()
    del without["spec"]["selector"]
    other = bodies.workload(selector={"matchLabels": {"app": "other"}})
    restart = bodies.workload()
    restart["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    bare = bodies.workload()
    bare["spec"]["template"]["spec"]["containers"] = []
    operators = [
        {"key": "a", "operator": "In"},
        {"key": "b", "operator": "Exists", "values": ["x"]},
        {"key": "c", "operator": "Like"},
    ]
    odd = bodies.workload(selector={"matchExpressions": operators})
    _tried(
        api, "replicasets", empty, without, other, restart, bare, odd, bodies.workload(replicas=-1, minReadySeconds=-1)
    )
    _tried(api, "replicasets", {"metadata": {"name": "web"}}, {"metadata": {"name": "web"}, "spec": {}})


@api_scenario(
    "workloads/immutable-selectors",
    must="The selector of a ReplicaSet, Deployment, StatefulSet or DaemonSet MUST NOT change.",
    source=_APPS,
)
def immutable(api: Api) -> None:
    change = {"spec": {"selector": {"matchLabels": {"more": "x"}}, "template": {"metadata": {"labels": {"more": "x"}}}}}
    for kind in ("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"):
        extra = {"serviceName": "web"} if kind == "StatefulSet" else {}
        api.post(api.to(f"{kind.lower()}s"), bodies.workload(kind, **extra))
        api.patch(api.to(f"{kind.lower()}s", "web"), change)


@api_scenario(
    "workloads/invalid-pods",
    must="A pod MUST have named containers with images, and sound values.",
    source="pkg/apis/core/validation/validation.go: ValidatePodSpec",
)
def invalid_pods(api: Api) -> None:
    _tried(
        api,
        "pods",
        bodies.pod(spec={"containers": []}),
        bodies.pod(spec={"containers": [{"name": "a"}]}),
        bodies.pod(spec={"containers": [{"image": "x:1"}]}),
        bodies.pod(spec={"containers": [bodies.container("Bad_Name")]}),
        bodies.pod(spec={"containers": [bodies.container("a"), bodies.container("a")]}),
        bodies.pod(spec={"restartPolicy": "Sometimes"}),
        bodies.pod(spec={"activeDeadlineSeconds": 0}),
        bodies.pod(
            spec={"containers": [bodies.container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}})]}
        ),
        bodies.pod(spec={"containers": [bodies.container(resources={"requests": {"cpu": "-1"}})]}),
        bodies.pod(spec={"containers": [bodies.container(resources={"requests": {"cpu": "many"}})]}),
        bodies.pod(spec={"containers": "text"}),
        {"metadata": {"name": "one"}},
    )


@api_scenario(
    "workloads/autoscalers",
    must="An autoscaler of v2 MUST get its defaults.",
    source="pkg/apis/autoscaling/v2/defaults.go",
)
def autoscalers(api: Api) -> None:
    api.post(api.to("horizontalpodautoscalers"), bodies.autoscaler("bare"))
    rules = {"scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]}}
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
    api.post(
        api.to("horizontalpodautoscalers"), bodies.autoscaler("full", metrics=[cpu], behavior=rules, minReplicas=2)
    )
    api.get(f"/apis/autoscaling/v1/namespaces/{api.namespace}/horizontalpodautoscalers/full")


@api_scenario(
    "workloads/autoscalers-of-v1",
    must="An autoscaler of v1 MUST be the same object in another form.",
    source="pkg/apis/autoscaling/v1/conversion.go",
)
def autoscalers_v1(api: Api) -> None:
    path = f"/apis/autoscaling/v1/namespaces/{api.namespace}/horizontalpodautoscalers"
    api.post(path, bodies.autoscaler(version="v1", targetCPUUtilizationPercentage=60))
    api.get(api.to("horizontalpodautoscalers", "web"))
    api.patch(f"{path}/web", {"spec": {"targetCPUUtilizationPercentage": 70}})
    api.post(path, bodies.autoscaler("other", version="v2"))
    api.post(api.to("horizontalpodautoscalers"), bodies.autoscaler("other", version="v1"))


@api_scenario(
    "workloads/invalid-autoscalers",
    must="An autoscaler MUST have sound bounds, a target, metrics and rules.",
    source=_HPA,
)
def invalid_autoscalers(api: Api) -> None:
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 0}}
    rules = {
        "scaleDown": {"policies": [{"type": "Odd", "value": 0, "periodSeconds": 0}], "stabilizationWindowSeconds": -1}
    }
    target = {"kind": "", "name": ""}
    _tried(
        api,
        "horizontalpodautoscalers",
        bodies.autoscaler(maxReplicas=0),
        bodies.autoscaler(minReplicas=7),
        bodies.autoscaler(minReplicas=0),
        bodies.autoscaler(scaleTargetRef=target),
        bodies.autoscaler(metrics=[{"type": "Resource"}]),
        bodies.autoscaler(metrics=[{"type": "Resource", "resource": cpu}]),
        bodies.autoscaler(metrics=[{"type": "Nonsense"}]),
        bodies.autoscaler(behavior=rules),
        bodies.autoscaler(maxReplicas="five"),
    )


@api_scenario(
    "workloads/budgets",
    must="A budget MUST say one of minAvailable and maxUnavailable.",
    source="pkg/apis/policy/validation/validation.go",
)
def budgets(api: Api) -> None:
    _tried(
        api,
        "poddisruptionbudgets",
        bodies.budget(minAvailable=1),
        bodies.budget(maxUnavailable="50%"),
        bodies.budget(minAvailable=1, maxUnavailable=1),
        bodies.budget(minAvailable=-1),
        bodies.budget(maxUnavailable="150%"),
        bodies.budget(minAvailable="half"),
        bodies.budget(minAvailable=1, unhealthyPodEvictionPolicy="Never"),
        bodies.budget(),
    )


@api_scenario(
    "workloads/jobs",
    must="A Job MUST get its defaults, a selector of its own, and a sound template.",
    source="pkg/registry/batch/job/strategy.go",
)
def jobs(api: Api) -> None:
    api.post(api.to("jobs"), bodies.job())
    api.patch(api.to("jobs", "work"), {"spec": {"parallelism": 3, "suspend": True}})
    always = bodies.job("always")
    always["spec"]["template"]["spec"]["restartPolicy"] = "Always"
    _tried(api, "jobs", always, bodies.job("negative", parallelism=-1, completions=-2, backoffLimit=-3))
    _tried(api, "jobs", bodies.job("chosen", selector={"matchLabels": {"a": "b"}}))


@api_scenario(
    "workloads/cron-jobs",
    must="A CronJob MUST get its defaults, and have a schedule.",
    source="pkg/apis/batch/validation/validation.go",
)
def cron_jobs(api: Api) -> None:
    def cron(schedule: str, **spec: Any) -> dict[str, Any]:
        template = {"spec": {"template": bodies.job()["spec"]["template"]}}
        spec = {"schedule": schedule, "jobTemplate": template, **spec}
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"}, "spec": spec}

    _tried(api, "cronjobs", cron(""), cron("never"), cron("* * * * *", concurrencyPolicy="Maybe"))
    api.post(api.to("cronjobs"), cron("0 3 * * *"))


@api_scenario(
    "workloads/leases",
    must="A Lease MUST have sound durations.",
    source="pkg/apis/coordination/validation/validation.go",
)
def leases(api: Api) -> None:
    full: dict[str, Any] = {"holderIdentity": "me", "leaseDurationSeconds": 15, "leaseTransitions": 1}
    times = {"acquireTime": "2026-01-01T00:00:00.000000Z", "renewTime": "2026-01-01T00:00:10.000000Z"}
    api.post(api.to("leases"), bodies.lease(**full, **times))
    _tried(api, "leases", bodies.lease("a", leaseDurationSeconds=0), bodies.lease("b", leaseTransitions=-1))
    _tried(api, "leases", bodies.lease("c", holderIdentity=""))


@api_scenario(
    "workloads/events",
    must="An event MUST lie in the namespace of what it is about, and be read in both forms.",
    source="pkg/apis/core/validation/events.go",
)
def events(api: Api) -> None:
    about = {"kind": "Pod", "name": "one", "namespace": api.namespace}
    event = {
        "metadata": {"name": "one.1"},
        "involvedObject": about,
        "reason": "Odd",
        "message": "text",
        "type": "Normal",
    }
    api.post(api.to("events"), event)
    api.get(f"/apis/events.k8s.io/v1/namespaces/{api.namespace}/events/one.1")
    api.patch(api.to("events", "one.1"), {"count": 2})
    elsewhere = {**event, "metadata": {"name": "two.1"}, "involvedObject": {**about, "namespace": "elsewhere"}}
    api.post(api.to("events"), elsewhere)


@api_scenario(
    "workloads/put-that-creates",
    must="A PUT of what is not there MUST create it for some kinds, and be a 404 for others.",
    source="AllowCreateOnUpdate of the kinds' strategies",
)
def put_creates(api: Api) -> None:
    api.put(api.to("leases", "lock"), bodies.lease(holderIdentity="me"))
    api.put(api.to("configmaps", "one"), bodies.config_map())
    api.put(api.to("replicasets", "web"), bodies.workload())
    about = {"kind": "Pod", "name": "one", "namespace": api.namespace}
    api.put(api.to("events", "one.1"), {"metadata": {"name": "one.1"}, "involvedObject": about})
    known = bodies.lease("other")
    known["metadata"]["uid"] = "11111111-2222-4333-8444-555555555555"
    api.put(api.to("leases", "other"), known)
    versioned = bodies.lease("third")
    versioned["metadata"]["resourceVersion"] = "5"
    api.put(api.to("leases", "third"), versioned)


@api_scenario(
    "workloads/versions-of-what-is-new",
    must="What is created has no version, and who names one MUST be told so once it would be stored.",
    source="apiserver/pkg/storage/etcd3/store.go: Create; registry/generic/registry/dryrun.go Create",
)
def versions_of_new(api: Api) -> None:
    body = bodies.lease("new")
    for version in ("1", "0", "none", "18446744073709551616"):
        body["metadata"] = {"name": "new", "resourceVersion": version}
        api.post(api.to("leases"), body, dryRun="All")
        api.put(api.to("leases", "new"), body, dryRun="All")
        api.post(api.to("leases"), body)
        api.put(api.to("leases", "new"), body)
        api.post(api.to("leases"), body)
        api.post(api.to("leases"), body, dryRun="All")
        api.delete(api.to("leases", "new"))
    api.post(api.to("leases"), {**body, "spec": {"leaseDurationSeconds": -1}})
    plain = bodies.config_map()
    api.post(api.to("configmaps"), plain)
    for version in ("0", "00", "none"):
        plain["metadata"]["resourceVersion"] = version
        api.put(api.to("configmaps", "one"), {**plain, "data": {"version": version}})
        api.patch(api.to("configmaps", "one"), {"metadata": {"resourceVersion": version}, "data": {"patch": version}})


@api_scenario(
    "workloads/version-zero",
    must="Version 0 MUST count as none, in every kind of update.",
    source="apiserver/pkg/registry/generic/registry/store.go: Update",
)
def version_zero(api: Api) -> None:
    of_zero = {"metadata": {"resourceVersion": "0"}}
    api.post(api.to("replicasets"), bodies.workload())
    for version in ("0", "00", "none", "1"):
        scale = {"metadata": {"name": "web", "resourceVersion": version}, "spec": {"replicas": 2}}
        api.put(api.to("replicasets", "web", "scale"), scale)
        api.patch(api.to("replicasets", "web", "scale"), scale)
        api.patch(api.to("replicasets", "web", "status"), {**scale, "spec": {}, "status": {"replicas": 1}})
    api.post(api.to("pods"), bodies.pod())
    for part in ("resize", "ephemeralcontainers", "status"):
        api.patch(api.to("pods", "one", part), of_zero)
        api.patch(api.to("pods", "one", part), {"metadata": {"resourceVersion": "none"}})
    api.delete(api.to("pods", "one"), {"preconditions": of_zero["metadata"]})
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=1))
    api.patch(api.to("poddisruptionbudgets", "guard"), of_zero)


@api_scenario(
    "workloads/webhooks",
    must="A webhook configuration MUST be sound and get its defaults.",
    source="pkg/apis/admissionregistration/validation/validation.go",
)
def webhooks(api: Api) -> None:
    hook = {
        "name": "one.example.com",
        "clientConfig": {"service": {"namespace": "default", "name": "hook"}},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    path = api.to("mutatingwebhookconfigurations")
    name = f"{api.token}-hooks"
    for change in ({}, {"name": "short"}, {"sideEffects": "Some"}, {"timeoutSeconds": 31}, {"failurePolicy": "Maybe"}):
        api.post(path, {"metadata": {"name": name}, "webhooks": [{**hook, **change}]}, dryRun="All")


@api_scenario(
    "workloads/services",
    must="A Service MUST get addresses and the defaults of its kind.",
    source="pkg/registry/core/service/storage/alloc.go",
)
def services(api: Api) -> None:
    body = {"metadata": {"name": "web"}, "spec": {"selector": dict(bodies.LABELS), "ports": [{"port": 80}]}}
    api.post(api.to("services"), body)


@api_scenario(
    "workloads/budget-updates",
    must="What a change makes of a budget MUST be sound, whatever else changes.",
    source="pkg/apis/policy/validation/validation.go",
)
def budget_updates(api: Api) -> None:
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=1))
    path = api.to("poddisruptionbudgets", "guard")
    api.patch(path, {"spec": {"minAvailable": -1}}, dryRun="All")
    api.patch(path, {"spec": {"minAvailable": -1}, "metadata": {"labels": {"a b": "c"}}})
    api.patch(path, {"spec": {"minAvailable": None, "maxUnavailable": "10%"}})
    api.patch(path, {"spec": {"minAvailable": 2}})
    api.patch(f"{path}/status", {"status": {"disruptionsAllowed": -1, "currentHealthy": -1}})
    api.patch(path, {"metadata": {"finalizers": ["example.com/a"]}})
    api.delete(path)
    api.patch(path, {"metadata": {"finalizers": ["example.com/b"]}, "spec": {"minAvailable": -1}})
