"""Defaulting, and the canonical form of each kind: an object as a real server's decoding leaves it.

From pkg/apis/core/v1/defaults.go, pkg/apis/apps/v1/defaults.go and the json tags of the API types. Functions take a
private object and may change its top levels; specs of pods are shared between all pods that were sent the same one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver.copies import copied
from lockstep.apiserver.defaults_batch import default_cron_job, default_daemon_set, default_job
from lockstep.apiserver.intake import check_spec
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.quality_of_service import compute_quality
from lockstep.apiserver.sharing import ByIdentity, Shared
from lockstep.apiserver.webhooks.registration import default_webhooks
from lockstep.wire.quantity import read_quantity

#: Empty values of these names carry no `omitempty` exception in pod specs.
_EMPTY_MAPS = frozenset({"nodeSelector", "requests", "limits", "matchLabels"})
_FALSE_FLAGS = frozenset({"hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly"})
_ZERO_NUMBERS = frozenset({"hostPort", "initialDelaySeconds", "minReadySeconds"})
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def compact(value: Any) -> Any:
    """A copy of part of a pod spec without the values that Go's `omitempty` would drop."""
    if type(value) is dict:
        kept = {}
        for key, sent in value.items():
            item = compact(sent)
            if item in (None, "", []):
                continue
            if (
                (item == {} and key in _EMPTY_MAPS)
                or (item is False and key in _FALSE_FLAGS)
                or (item == 0 and key in _ZERO_NUMBERS)
            ):
                continue
            kept[key] = item
        return kept
    if type(value) is list:
        return [compact(item) for item in value]
    return value


def _default_container(container: dict[str, Any], *, pod: bool) -> dict[str, Any]:
    image = container.get("image", "")
    _, _, tag = image.rpartition("/")[2].partition(":")
    container.setdefault("imagePullPolicy", "Always" if tag in ("", "latest") and "@" not in image else "IfNotPresent")
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    resources = container.setdefault("resources", {})
    _spell_amounts(resources)
    if pod and resources.get("limits"):
        resources["requests"] = {**resources["limits"], **(resources.get("requests") or {})}
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe in container:
            container[probe] = {**_PROBE, **container[probe]}
            if "httpGet" in container[probe]:
                container[probe]["httpGet"] = {"path": "/", "scheme": "HTTP", **container[probe]["httpGet"]}
    return container


def _spell_amounts(resources: dict[str, Any]) -> None:
    """Rewrite quantities in Go's canonical form; validation reports invalid ones."""
    for group in ("requests", "limits"):
        if group in resources:
            resources[group] = {name: _spelled(amount) for name, amount in resources[group].items()}


def _spelled(amount: Any) -> Any:
    try:
        return str(read_quantity(amount))
    except ValueError:
        return amount


def pod_spec(spec: dict[str, Any], *, pod: bool) -> dict[str, Any]:
    """A defaulted copy of a PodSpec; `pod` is False for templates, which get fewer defaults (SetDefaults_PodSpec)."""
    spec = compact(spec)
    if "resources" in spec:
        _spell_amounts(spec["resources"])
    for group in ("containers", "initContainers", "ephemeralContainers"):
        if group in spec:
            spec[group] = [_default_container(container, pod=pod) for container in spec[group]]
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")
    if pod:
        spec.setdefault("enableServiceLinks", True)
    return spec


def _canonical_pod_spec(spec: Any) -> dict[str, Any]:
    check_spec(spec, "Pod")
    return pod_spec(copied(spec), pod=True)


#: The defaulted spec of a pod, one shared object for equal specs. Raises ApiError 400 on a wrong shape.
shared_pod_spec = Shared(_canonical_pod_spec)


def _default_pod(payload: dict[str, Any], kind: Kind) -> None:
    payload["spec"] = shared_pod_spec(payload.get("spec") or {})


def _template(spec: dict[str, Any]) -> None:
    template = spec.get("template")
    if template is not None:
        metadata = {key: item for key, item in (template.get("metadata") or {}).items() if item not in ("", {}, [])}
        spec["template"] = {**template, "metadata": metadata, "spec": pod_spec(template.get("spec") or {}, pod=False)}


def _workload(payload: dict[str, Any]) -> dict[str, Any]:
    return _workload_spec(payload.setdefault("spec", {}))


def _workload_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """Default a private spec in place."""
    spec.setdefault("replicas", 1)
    if spec.get("minReadySeconds") == 0:
        del spec["minReadySeconds"]
    _template(spec)
    selector = spec.get("selector")
    if selector is not None:
        spec["selector"] = {key: item for key, item in selector.items() if item not in ({}, [])}
    return spec


def _canonical_replica_set_spec(spec: Any) -> dict[str, Any]:
    private = copied(spec)
    check_spec(private, "ReplicaSet")
    return _workload_spec(private)


_shared_replica_set_spec = Shared(_canonical_replica_set_spec)


def _default_replica_set(payload: dict[str, Any], kind: Kind) -> None:
    payload["spec"] = _shared_replica_set_spec(payload.get("spec", {}))


def _default_replication_controller(payload: dict[str, Any], kind: Kind) -> None:
    spec = _workload(payload)
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    if not spec.get("selector") and labels:
        spec["selector"] = dict(labels)
    if labels and not payload["metadata"].get("labels"):
        payload["metadata"]["labels"] = dict(labels)


def _default_deployment(payload: dict[str, Any], kind: Kind) -> None:
    spec = _workload(payload)
    if spec.get("paused") is False:
        del spec["paused"]
    strategy = spec["strategy"] = dict(spec.get("strategy") or {})
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = {
            "maxUnavailable": "25%",
            "maxSurge": "25%",
            **(strategy.get("rollingUpdate") or {}),
        }
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


def _default_stateful_set(payload: dict[str, Any], kind: Kind) -> None:
    spec = _workload(payload)
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec["updateStrategy"] = dict(spec.get("updateStrategy") or {"rollingUpdate": {}})
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        strategy["rollingUpdate"] = {"partition": 0, **strategy["rollingUpdate"]}
    spec["persistentVolumeClaimRetentionPolicy"] = {
        "whenDeleted": "Retain",
        "whenScaled": "Retain",
        **(spec.get("persistentVolumeClaimRetentionPolicy") or {}),
    }
    spec.setdefault("revisionHistoryLimit", 10)


def _default_daemon_set(payload: dict[str, Any], kind: Kind) -> None:
    spec = payload.setdefault("spec", {})
    _template(spec)
    default_daemon_set(spec)


def _default_job(payload: dict[str, Any], kind: Kind) -> None:
    spec = payload.setdefault("spec", {})
    _template(spec)
    default_job(spec, payload["metadata"])


def _default_cron_job(payload: dict[str, Any], kind: Kind) -> None:
    spec = payload.setdefault("spec", {})
    default_cron_job(spec)
    template = spec["jobTemplate"] = dict(spec.get("jobTemplate") or {})
    template["spec"] = dict(template.get("spec") or {})
    template.setdefault("metadata", {})
    _template(template["spec"])


def _default_namespace(payload: dict[str, Any], kind: Kind) -> None:
    payload["metadata"]["labels"] = {
        **(payload["metadata"].get("labels") or {}),
        "kubernetes.io/metadata.name": payload["metadata"].get("name", ""),
    }


def _default_limit_range(payload: dict[str, Any], kind: Kind) -> None:
    """SetDefaults_LimitRangeItem: for containers, max gives default, default and min give defaultRequest."""
    limits = []
    for sent in (payload.get("spec") or {}).get("limits") or ():
        item = sent
        if item.get("type") == "Container":
            default = {**(item.get("max") or {}), **(item.get("default") or {})}
            request = {**(item.get("min") or {}), **default, **(item.get("defaultRequest") or {})}
            item = {
                **item,
                **({"default": default} if default else {}),
                **({"defaultRequest": request} if request else {}),
            }
        limits.append(item)
    payload["spec"] = {**(payload.get("spec") or {}), "limits": limits}


def _default_event(payload: dict[str, Any], kind: Kind) -> None:
    payload.setdefault("involvedObject", {})
    payload.setdefault("source", {})
    for part in ("reportingComponent", "reportingInstance"):
        payload.setdefault(part, "")


def _default_quota(payload: dict[str, Any], kind: Kind) -> None:
    for part, groups in (("spec", ("hard",)), ("status", ("hard", "used"))):
        for group in groups:
            amounts = (payload.get(part) or {}).get(group)
            if amounts:
                payload[part] = {**payload[part], group: {name: _spelled(amount) for name, amount in amounts.items()}}


def _default_node(payload: dict[str, Any], kind: Kind) -> None:
    status = payload.get("status") or {}
    if status.get("capacity") and not status.get("allocatable"):
        payload["status"] = {**status, "allocatable": dict(status["capacity"])}


def _default_webhooks(payload: dict[str, Any], kind: Kind) -> None:
    default_webhooks(payload, kind.kind)


#: Kinds whose spec is a struct without defaults: it exists even if no client sent one.
_WITH_SPEC = frozenset({"Lease", "PodDisruptionBudget", "ResourceQuota"})
_BY_KIND: dict[str, Callable[[dict[str, Any], Kind], None]] = {
    "Pod": _default_pod,
    "ReplicaSet": _default_replica_set,
    "Deployment": _default_deployment,
    "StatefulSet": _default_stateful_set,
    "ReplicationController": _default_replication_controller,
    "DaemonSet": _default_daemon_set,
    "MutatingWebhookConfiguration": _default_webhooks,
    "ValidatingWebhookConfiguration": _default_webhooks,
    "Job": _default_job,
    "CronJob": _default_cron_job,
    "Namespace": _default_namespace,
    "LimitRange": _default_limit_range,
    "Event": _default_event,
    "ResourceQuota": _default_quota,
    "Node": _default_node,
}


def apply_defaults(payload: dict[str, Any], kind: Kind) -> None:
    """Default a private object in place and bring it into canonical form."""
    if not kind.strategic:
        return
    if kind.kind in _WITH_SPEC:
        payload.setdefault("spec", {})
    function = _BY_KIND.get(kind.kind)
    if function is not None:
        function(payload, kind)
    if kind.status_kept is not None:
        status = payload.get("status")
        if status is not None:
            payload["status"] = canonical_status(status, kind.status_kept)


def canonical_status(status: dict[str, Any], kept: frozenset[str]) -> dict[str, Any]:
    """The status without the zero values that its Go type omits."""
    return {key: item for key, item in status.items() if item or key in kept}


#: status.qosClass for the (shared) spec of a pod.
quality_of_service = ByIdentity(compute_quality)
