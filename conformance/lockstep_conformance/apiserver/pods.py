"""Pods: binding, resize, and the few fields of a spec that may change."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_UPDATE = "pkg/apis/core/validation/validation.go: ValidatePodUpdate"
_BIND = "pkg/registry/core/pod/storage/storage.go: BindingREST"
_RESIZE = "pkg/registry/core/pod/strategy.go: podResizeStrategy"


def _bind(api: Api, node: str, name: str = "one", **metadata: Any) -> None:
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, **metadata},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    api.post(api.to("pods", name, "binding"), body)


@api_scenario(
    "pods/binding", must="A binding MUST set the pod's node and its PodScheduled condition, once.", source=_BIND
)
def binding(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    _bind(api, "node-1")
    api.get(api.to("pods", "one"))
    _bind(api, "node-1")
    _bind(api, "node-2")
    _bind(api, "node-1", "nobody")


@api_scenario(
    "pods/binding-refused", must="A binding without a node, or to something else, MUST be refused.", source=_BIND
)
def binding_refused(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    _bind(api, "")
    path = api.to("pods", "one", "binding")
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "one"}}
    api.post(path, body)
    api.post(path, {**body, "target": {"kind": "Pod", "name": "x"}})
    api.post(path, {**body, "metadata": {"name": "two"}, "target": {"kind": "Node", "name": "x"}})
    _bind(api, "node-1", uid="11111111-2222-4333-8444-555555555555")


@api_scenario("pods/binding-notes", must="A binding MUST carry its annotations to the pod.", source=_BIND)
def binding_notes(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod("one", annotations={"old": "1"}))
    _bind(api, "node-1", annotations={"note": "from the scheduler"})
    api.get(api.to("pods", "one"))


@api_scenario("pods/binding-deleted", must="A pod that is being deleted, or gated, MUST NOT be bound.", source=_BIND)
def binding_deleted(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod("one", finalizers=["example.com/keep"]))
    api.delete(api.to("pods", "one"))
    _bind(api, "node-1")
    api.post(api.to("pods"), bodies.pod("gated", spec={"schedulingGates": [{"name": "example.com/wait"}]}))
    _bind(api, "node-1", "gated")


@api_scenario(
    "pods/resize", must="A resize MUST change requests and limits of containers, and nothing else.", source=_RESIZE
)
def resize(api: Api) -> None:
    small = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "200m", "memory": "128Mi"}}
    api.post(api.to("pods"), bodies.pod(spec={"containers": [bodies.container(resources=small)]}))
    path = api.to("pods", "one", "resize")
    large = {"requests": {"cpu": "150m", "memory": "64Mi"}, "limits": {"cpu": "300m", "memory": "128Mi"}}
    change = {"spec": {"containers": [{"name": "main", "resources": large}]}}
    api.patch(path, change, "strategic")
    api.patch(api.to("pods", "one"), change, "strategic")
    api.patch(path, {"spec": {"containers": [{"name": "main", "image": "other:1"}]}}, "strategic")
    api.patch(path, {"metadata": {"labels": {"a": "b"}}})
    api.get(path)


@api_scenario(
    "pods/resize-refused",
    must="A resize that changes the QoS class, or takes a limit away, MUST be refused.",
    source="pkg/apis/core/validation/validation.go: ValidatePodResize",
)
def resize_refused(api: Api) -> None:
    same = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "100m", "memory": "64Mi"}}
    api.post(api.to("pods"), bodies.pod(spec={"containers": [bodies.container(resources=same)]}))
    path = api.to("pods", "one", "resize")
    for resources in (
        {"requests": {"cpu": "50m"}},
        {"limits": {"cpu": None}, "requests": {"cpu": None}},
        {"requests": {"cpu": "200m"}},
        {"requests": {"cpu": "bad"}},
        {"requests": {"ephemeral-storage": "1Gi"}, "limits": {"ephemeral-storage": "1Gi"}},
    ):
        api.patch(path, {"spec": {"containers": [{"name": "main", "resources": resources}]}}, "strategic")


@api_scenario(
    "pods/immutable-spec",
    must="A pod's spec MUST NOT change but for images, deadlines, tolerations and gates.",
    source=_UPDATE,
)
def immutable(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    path = api.to("pods", "one")
    for spec in (
        {"nodeName": "node-1"},
        {"restartPolicy": "Never"},
        {"priority": 5},
        {"hostNetwork": True},
        {"containers": [{"name": "main", "command": ["x"]}]},
        {"containers": [{"name": "second", "image": "x:1"}]},
    ):
        api.patch(path, {"spec": spec}, "strategic")


@api_scenario(
    "pods/mutable-spec",
    must="Images, deadlines, tolerations and gates of a pod MUST change within their rules.",
    source=_UPDATE,
)
def mutable(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod(spec={"schedulingGates": [{"name": "example.com/wait"}]}))
    path = api.to("pods", "one")
    api.patch(path, {"spec": {"containers": [{"name": "main", "image": "other:2"}]}}, "strategic")
    api.patch(path, {"spec": {"containers": [{"name": "main", "image": " other:2"}]}}, "strategic")
    api.patch(path, {"spec": {"activeDeadlineSeconds": 100}})
    api.patch(path, {"spec": {"activeDeadlineSeconds": 200}})
    api.patch(path, {"spec": {"activeDeadlineSeconds": None}})
    api.patch(path, {"spec": {"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}]}})
    api.patch(path, {"spec": {"tolerations": []}})
    api.patch(path, {"spec": {"nodeSelector": {"disk": "fast"}}})
    api.patch(path, {"spec": {"schedulingGates": None}})
    api.patch(path, {"spec": {"schedulingGates": [{"name": "example.com/again"}]}})


@api_scenario(
    "pods/deadline-first",
    must="A deadline that is out of range, or later than before, MUST be told without whatever else has changed.",
    source=_UPDATE,
)
def deadline_first(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod(spec={"activeDeadlineSeconds": 100}))
    path = api.to("pods", "one")
    for deadline in (200, 100, 50, 0, -1, 2**31, None):
        api.patch(path, {"spec": {"activeDeadlineSeconds": deadline, "priority": 5}})


@api_scenario(
    "pods/ephemeral-containers",
    must="Ephemeral containers MUST be added through their subresource only, and never change.",
    source="pkg/registry/core/pod/strategy.go: podEphemeralContainersStrategy",
)
def ephemeral(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    debug = {"name": "debug", "image": "busybox:1", "targetContainerName": "main"}
    path = api.to("pods", "one", "ephemeralcontainers")
    api.patch(api.to("pods", "one"), {"spec": {"ephemeralContainers": [debug]}})
    api.patch(path, {"spec": {"ephemeralContainers": [debug]}}, "strategic")
    api.patch(path, {"spec": {"ephemeralContainers": [{**debug, "image": "busybox:2"}]}}, "strategic")
    api.patch(path, {"spec": {"ephemeralContainers": []}})


@api_scenario(
    "pods/quality-of-service",
    must="A pod's QoS class MUST follow from its requests and limits.",
    source="pkg/apis/core/v1/helper/qos/qos.go",
)
def quality(api: Api) -> None:
    cases: dict[str, dict[str, Any]] = {
        "best-effort": {},
        "burstable": {"requests": {"cpu": "1"}},
        "guaranteed": {"limits": {"cpu": "1", "memory": "1Gi"}},
        "half": {"limits": {"cpu": "1"}},
        "equal": {"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
    }
    for name, resources in cases.items():
        api.post(api.to("pods"), bodies.pod(name, spec={"containers": [bodies.container(resources=resources)]}))


@api_scenario(
    "pods/status-rules",
    must="A terminal phase and a pod's IPs MUST obey their rules.",
    source="pkg/apis/core/validation/validation.go: ValidatePodStatusUpdate",
)
def status_rules(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    path = api.to("pods", "one", "status")
    api.patch(path, {"status": {"podIP": "10.0.0.1"}})
    api.patch(path, {"status": {"podIPs": [{"ip": "bad"}]}})
    api.patch(path, {"status": {"phase": "Failed", "reason": "Evicted", "message": "no room"}})
    api.patch(path, {"status": {"phase": "Running"}})
    api.patch(path, {"status": {"qosClass": "Guaranteed"}})
    api.patch(path, {"status": {"nominatedNodeName": "node-1"}})
