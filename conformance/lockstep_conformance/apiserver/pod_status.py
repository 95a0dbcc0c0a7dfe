"""What a pod's status may say, and what may come after what: the rules for kubelets and who stands in for them."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_VALIDATION = "pkg/apis/core/validation/validation.go: ValidatePodStatusUpdate"


def _told(api: Api, *statuses: dict[str, Any], name: str = "one") -> None:
    """One write of the pod's status after the other."""
    for status in statuses:
        api.patch(api.to("pods", name, "status"), {"status": status})


@api_scenario(
    "pod-status/conditions",
    must="A condition of a pod MUST have a type that could be a label's key, but for those of the system.",
    source=_VALIDATION,
)
def conditions(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    ready = {"type": "Ready", "status": "True"}
    _told(
        api,
        {"conditions": [{"status": "True"}]},
        {"conditions": [ready, {"type": "no type!", "status": "True"}, {"type": "a/b/c", "status": "True"}]},
        {"conditions": [{"type": "/name", "status": "True"}, {"type": "Upper.Case/name", "status": "False"}]},
        {"conditions": [{**ready, "observedGeneration": -1}, {"type": "x" * 64, "status": "Unknown"}]},
        {"conditions": [ready, {"type": "example.com/gate", "status": "True"}, {"type": "Ours", "status": "False"}]},
        {"conditions": [ready, {**ready, "status": "False"}]},
        {"observedGeneration": -1},
        {"observedGeneration": 7},
    )


@api_scenario(
    "pod-status/nomination",
    must="A node MUST be nominated by a node's name, for a pod without a node, and until it has one.",
    source=f"{_VALIDATION}; pkg/registry/core/pod/storage/storage.go assignPod",
)
def nomination(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    _told(api, {"nominatedNodeName": "Not_A_Node"}, {"nominatedNodeName": "node-1"})
    target = {"target": {"kind": "Node", "name": "node-2"}}
    for binding in (target, {**target, "metadata": {"name": "one"}}):
        api.post(api.to("pods", "one", "binding"), binding)
        api.get(api.to("pods", "one"))
    _told(api, {"nominatedNodeName": "node-3"}, {"nominatedNodeName": "Not_A_Node"}, {"nominatedNodeName": ""})


@api_scenario(
    "pod-status/addresses",
    must="A pod's addresses MUST be addresses, one of each family at the most.",
    source="pkg/apis/core/validation/validation.go: validatePodIPs, validateHostIPs",
)
def addresses(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())
    for several in (
        ["bad"], [""], ["10.0.0.300"], ["010.1.2.3"], ["::ffff:10.0.0.1"], ["fe80::1%eth0"], ["10.0.0.1", "10.0.0.2"],
        ["10.0.0.1", "bad"], ["10.0.0.1", "fd00::1", "fd00::2"], ["10.0.0.1", "::ffff:10.0.0.1"],
        ["FD00:0:0:0:0:0:0:0001"], ["10.0.0.1", "fd00::1"],
    ):  # fmt: skip
        ips = [{"ip": address} for address in several]
        _told(api, {"podIP": several[0], "podIPs": ips}, {"hostIP": several[0], "hostIPs": ips})
    _told(
        api,
        {"hostIP": "10.0.0.9"},
        {"hostIP": "10.0.0.9", "hostIPs": None},
        {"hostIPs": [{"ip": "10.0.0.9"}]},
        {"hostIP": "", "hostIPs": [{"ip": "10.0.0.9"}]},
        {"hostIP": "", "hostIPs": []},
    )


_RUNNING: dict[str, Any] = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}


def _containers(state: dict[str, Any], name: str = "main") -> list[dict[str, Any]]:
    return [{"name": name, "image": "i", "imageID": "", "ready": False, "restartCount": 0, "state": state}]


def _ended(code: int) -> dict[str, Any]:
    return {"terminated": {"exitCode": code}}


@api_scenario(
    "pod-status/ended-containers",
    must="A container that has ended for good MUST NOT run again.",
    source="pkg/apis/core/validation/validation.go: ValidateContainerStateTransition",
)
def ended_containers(api: Api) -> None:
    for policy in ("Always", "OnFailure", "Never"):
        name = policy.lower()
        api.post(api.to("pods"), bodies.pod(name, spec={"restartPolicy": policy}))
        for state in (_RUNNING, _ended(0), _RUNNING, _ended(1), _RUNNING, {"waiting": {"reason": "CrashLoopBackOff"}}):
            _told(api, {"containerStatuses": _containers(state)}, name=name)
        _told(api, {"containerStatuses": []}, {"containerStatuses": _containers(_RUNNING)}, name=name)
    api.post(api.to("pods"), bodies.pod("stranger", spec={"restartPolicy": "Always"}))
    for state in (_ended(1), _RUNNING):
        _told(api, {"containerStatuses": _containers(state, "other")}, name="stranger")


@api_scenario(
    "pod-status/ended-init-containers",
    must="An init container that has ended MUST NOT run again, unless its own policy says so.",
    source="pkg/apis/core/validation/validation.go: ValidateInitContainerStateTransition",
)
def ended_init_containers(api: Api) -> None:
    first = [bodies.container("plain"), bodies.container("sidecar", restartPolicy="Always")]
    api.post(api.to("pods"), bodies.pod(spec={"restartPolicy": "Never", "initContainers": first}))
    for state in (_ended(0), _RUNNING, _ended(1), _RUNNING):
        both = [*_containers(state, "plain"), *_containers(state, "sidecar")]
        _told(api, {"initContainerStatuses": both}, {"initContainerStatuses": both[1:]})


@api_scenario(
    "pod-status/own-restart-rules",
    must="A container's own rules MUST decide whether it may run again.",
    source="pkg/api/v1/pod/util.go: ContainerShouldRestart",
)
def own_restart_rules(api: Api) -> None:
    rules = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]
    cases: dict[str, dict[str, Any]] = {
        "ruled": {"restartPolicy": "Never", "restartPolicyRules": rules},
        "own": {"restartPolicy": "OnFailure"},
    }
    for name, fields in cases.items():
        spec = {"restartPolicy": "Never", "containers": [bodies.container(**fields)]}
        api.post(api.to("pods"), bodies.pod(name, spec=spec))
        for code in (42, 1, 0):
            _told(
                api,
                {"containerStatuses": _containers(_ended(code))},
                {"containerStatuses": _containers(_RUNNING)},
                name=name,
            )


@api_scenario(
    "pod-status/of-budgets",
    must="A budget's conditions MUST be whole.",
    source="apimachinery/pkg/apis/meta/v1/validation/validation.go: ValidateConditions",
)
def of_budgets(api: Api) -> None:
    api.post(api.to("poddisruptionbudgets"), bodies.budget(minAvailable=1))
    whole: dict[str, Any] = {
        "type": "Fine",
        "status": "True",
        "reason": "Because",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    cases: tuple[list[dict[str, Any]], ...] = (
        [{}], [{**whole, "type": "no type!"}], [{**whole, "status": "Maybe"}], [{**whole, "reason": "no reason"}],
        [{**whole, "observedGeneration": -1}], [{**whole, "reason": "r" * 1025}], [{**whole, "message": "m" * 32769}],
        [whole, whole], [{**whole, "lastTransitionTime": None}], [whole],
    )  # fmt: skip
    for some in cases:
        status = {"conditions": some, "disruptionsAllowed": -1 if not some[0] else 0}
        api.patch(api.to("poddisruptionbudgets", "guard", "status"), {"status": status})
