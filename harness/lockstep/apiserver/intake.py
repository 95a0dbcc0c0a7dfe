"""From a request's body to an object: a private copy, in canonical form, of the right shape.

A real server decodes JSON into Go structs. Here the wire form is changed in the same way: nulls and empty
optional fields vanish, and a value of the wrong type is a 400 with the message of encoding/json.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.apiserver.copies import copied
from lockstep.apiserver.decoding import Undecodable, check_type, undecodable
from lockstep.apiserver.errors import ApiError, bad_request
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import NO_JSON, Unreadable
from lockstep.apiserver.metadata import canonical_metadata
from lockstep.apiserver.strategies import Strategy, strategy_of
from lockstep.apiserver.structural import Structural
from lockstep.apiserver.structural.pruning import settled
from lockstep.wire.gojson import kind_of
from lockstep.wire.quantity import read_quantity

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "int32": int,
    "int64": int,
    "bool": bool,
    "struct": dict,
    "map": dict,
    "list": list,
}
_METADATA: dict[str, Any] = {
    "name": "string",
    "generateName": "string",
    "namespace": "string",
    "uid": "string",
    "resourceVersion": "string",
    "generation": "int64",
    "creationTimestamp": "string",
    "deletionTimestamp": "string",
    "finalizers": ["string"],
    "deletionGracePeriodSeconds": "int64",
    "labels": "stringmap",
    "annotations": "stringmap",
    "ownerReferences": [
        {
            "apiVersion": "string",
            "kind": "string",
            "name": "string",
            "uid": "string",
            "controller": "bool",
            "blockOwnerDeletion": "bool",
        }
    ],
    "managedFields": ["struct"],
}
_SELECTOR = {
    "matchLabels": "stringmap",
    "matchExpressions": [{"key": "string", "operator": "string", "values": ["string"]}],
}
_CONTAINERS = [
    {
        "name": "string",
        "image": "string",
        "imagePullPolicy": "string",
        "ports": ["struct"],
        "env": ["struct"],
        "command": ["string"],
        "args": ["string"],
        "volumeMounts": ["struct"],
        "resources": {"requests": "amounts", "limits": "amounts"},
        "restartPolicy": "string",
        "restartPolicyRules": [{"action": "string", "exitCodes": {"operator": "string", "values": ["int32"]}}],
    }
]
_POD_SPEC = {
    "containers": _CONTAINERS,
    "initContainers": _CONTAINERS,
    "ephemeralContainers": ["struct"],
    "nodeName": "string",
    "restartPolicy": "string",
    "terminationGracePeriodSeconds": "int64",
    "activeDeadlineSeconds": "int64",
    "schedulerName": "string",
    "nodeSelector": "stringmap",
    "tolerations": ["struct"],
    "volumes": ["struct"],
    "schedulingGates": ["struct"],
    "resources": {"requests": "map", "limits": "map"},
}
_CONDITION = {
    "type": "string",
    "status": "string",
    "observedGeneration": "int64",
    "reason": "string",
    "message": "string",
    "lastTransitionTime": "string",
}
_CONTAINER_STATUSES = [
    {
        "name": "string",
        "ready": "bool",
        "restartCount": "int32",
        "state": {"waiting": "struct", "running": "struct", "terminated": {"exitCode": "int32", "reason": "string"}},
    }
]
_POD_STATUS = {
    "phase": "string",
    "conditions": [_CONDITION],
    "containerStatuses": _CONTAINER_STATUSES,
    "initContainerStatuses": _CONTAINER_STATUSES,
    "ephemeralContainerStatuses": _CONTAINER_STATUSES,
    "podIP": "string",
    "podIPs": [{"ip": "string"}],
    "hostIP": "string",
    "hostIPs": [{"ip": "string"}],
    "nominatedNodeName": "string",
    "observedGeneration": "int64",
    "qosClass": "string",
}
_TEMPLATE = {"metadata": _METADATA, "spec": _POD_SPEC}
_WORKLOAD_STATUS = {
    "replicas": "int32",
    "fullyLabeledReplicas": "int32",
    "readyReplicas": "int32",
    "availableReplicas": "int32",
    "terminatingReplicas": "int32",
    "observedGeneration": "int64",
    "conditions": ["struct"],
}
_WORKLOAD: dict[str, dict[str, Any]] = {
    "spec": {"replicas": "int32", "minReadySeconds": "int32", "selector": _SELECTOR, "template": _TEMPLATE},
    "status": _WORKLOAD_STATUS,
}
_JOB: dict[str, Any] = {
    "parallelism": "int32",
    "completions": "int32",
    "backoffLimit": "int32",
    "suspend": "bool",
    "manualSelector": "bool",
    "selector": _SELECTOR,
    "template": _TEMPLATE,
}
_WEBHOOKS: list[dict[str, Any]] = [
    {
        "name": "string",
        "clientConfig": {
            "url": "string",
            "caBundle": "string",
            "service": {"name": "string", "namespace": "string", "path": "string", "port": "int32"},
        },
        "rules": [
            {
                "operations": ["string"],
                "apiGroups": ["string"],
                "apiVersions": ["string"],
                "resources": ["string"],
                "scope": "string",
            }
        ],
        "namespaceSelector": _SELECTOR,
        "objectSelector": _SELECTOR,
        "timeoutSeconds": "int32",
        "admissionReviewVersions": ["string"],
    }
]
#: The shape of the fields that the server itself reads, by kind.
SHAPES: dict[str, dict[str, Any]] = {
    "Pod": {"spec": _POD_SPEC, "status": _POD_STATUS},
    "ReplicaSet": _WORKLOAD,
    "Deployment": _WORKLOAD,
    "StatefulSet": _WORKLOAD,
    "ReplicationController": {"spec": {**_WORKLOAD["spec"], "selector": "stringmap"}, "status": _WORKLOAD_STATUS},
    "DaemonSet": {"spec": {"selector": _SELECTOR, "template": _TEMPLATE, "updateStrategy": "struct"}},
    "Job": {"spec": _JOB},
    "CronJob": {
        "spec": {
            "schedule": "string",
            "suspend": "bool",
            "concurrencyPolicy": "string",
            "successfulJobsHistoryLimit": "int32",
            "failedJobsHistoryLimit": "int32",
            "jobTemplate": {"metadata": _METADATA, "spec": _JOB},
        }
    },
    "PodDisruptionBudget": {
        "spec": {
            "selector": _SELECTOR,
            "minAvailable": "intorstring",
            "maxUnavailable": "intorstring",
            "unhealthyPodEvictionPolicy": "string",
        },
        "status": {
            "disruptionsAllowed": "int32",
            "currentHealthy": "int32",
            "desiredHealthy": "int32",
            "expectedPods": "int32",
            "observedGeneration": "int64",
            "disruptedPods": "map",
            "conditions": [_CONDITION],
        },
    },
    "ResourceQuota": {
        "spec": {"hard": "amounts", "scopes": ["string"]},
        "status": {"hard": "amounts", "used": "amounts"},
    },
    "LimitRange": {
        "spec": {
            "limits": [
                {
                    "type": "string",
                    "default": "map",
                    "defaultRequest": "map",
                    "min": "map",
                    "max": "map",
                    "maxLimitRequestRatio": "map",
                }
            ]
        }
    },
    "ConfigMap": {"data": "stringmap", "binaryData": "stringmap", "immutable": "bool"},
    "Namespace": {"spec": {"finalizers": ["string"]}, "status": {"phase": "string"}},
    "Event": {
        "involvedObject": "struct",
        "regarding": "struct",
        "count": "int32",
        "reason": "string",
        "source": "struct",
    },
    "MutatingWebhookConfiguration": {"webhooks": _WEBHOOKS},
    "ValidatingWebhookConfiguration": {"webhooks": _WEBHOOKS},
    "Lease": {
        "spec": {
            "holderIdentity": "string",
            "leaseDurationSeconds": "int32",
            "leaseTransitions": "int32",
            "acquireTime": "string",
            "renewTime": "string",
        }
    },
    "CustomResourceDefinition": {
        "spec": {
            "group": "string",
            "scope": "string",
            "names": {"plural": "string", "kind": "string", "shortNames": ["string"]},
            "versions": [{"name": "string", "served": "bool", "storage": "bool", "subresources": "struct"}],
        }
    },
    "Binding": {"target": {"name": "string", "kind": "string"}},
    "Eviction": {"deleteOptions": "struct"},
    "DeleteOptions": {
        "gracePeriodSeconds": "int64",
        "propagationPolicy": "string",
        "orphanDependents": "bool",
        "preconditions": {"uid": "string", "resourceVersion": "string"},
    },
}
_WITH_DATA, _EMPTY_DATA = frozenset({"ConfigMap", "Secret"}), frozenset({"data", "binaryData", "stringData"})
_CONDITIONS = "v1.Preconditions"
_NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_GO_TYPES = {"stringmap": "map[string]string"}
_INT32 = range(-(2**31), 2**31)
#: Kinds whose specs come back with every request about them, mostly unchanged.
SHARED_SPECS = frozenset({"Pod", "ReplicaSet"})
_NOTHING: Mapping[str, Any] = {}


def take_in(body: Any, kind: Kind, current: Mapping[str, Any] = _NOTHING, *, trusted: bool = False) -> dict[str, Any]:
    """The object in a request's body: a copy of the right shape. Raises ApiError 400.

    What `body` shares with `current`, a stored object that it was made from, is taken as it is. So is the spec of the
    `SHARED_SPECS` kinds: `defaults` replaces it by a shared, immutable one. And so is a status that is `trusted` (see
    `Request`).
    """
    if type(body) is not dict:
        told = body.told if isinstance(body, Unreadable) else NO_JSON
        raise bad_request(f"the object provided is unrecognized (must be of type {kind.kind}): {told}")
    check_type(body, kind)
    metadata: Any = body["metadata"] if body.get("metadata") is not None else {}
    unchanged = metadata is current.get("metadata")
    fresh = {**metadata} if unchanged else canonical_metadata(metadata, kind)
    payload: dict[str, Any] = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": fresh}
    strategy = strategy_of(kind)
    if strategy is not None:
        return _decoded(strategy, payload, body, kind)
    if kind.schema is not None:
        return _settled(payload, body, kind.schema, current)
    shape = SHAPES.get(kind.kind, {}) if kind.strategic else {}
    for key, sent in body.items():
        if sent is None or key in payload:
            continue
        if sent is current.get(key) or (key == "spec" and kind.kind in SHARED_SPECS):
            payload[key] = sent
            continue
        if trusted and key == "status":
            payload[key] = sent
            continue
        payload[key] = item = copied(sent)
        if key in shape:
            _check(item, shape[key], key, kind)
        if not item and key in _EMPTY_DATA and kind.kind in _WITH_DATA:
            del payload[key]
    return payload


def _settled(
    payload: dict[str, Any], body: dict[str, Any], schema: Structural, current: Mapping[str, Any]
) -> dict[str, Any]:
    """The custom resource, pruned and defaulted by its schema; parts equal to `current` have been processed before."""
    same = {key: item for key, item in body.items() if key not in payload and item is current.get(key)}
    payload.update(settled({key: item for key, item in body.items() if key not in {**payload, **same}}, schema))
    payload.update(same)
    return payload


def _decoded(strategy: Strategy, payload: dict[str, Any], body: dict[str, Any], kind: Kind) -> dict[str, Any]:
    """The object as Go decodes it, in the stored version."""
    payload.update((part, sent) for part, sent in body.items() if part in ("spec", "status"))
    try:
        strategy.decode(payload, kind.version)
    except ValueError as problem:
        raise undecodable(kind, str(problem)) from None
    return payload


def check_spec(spec: Any, kind: str) -> None:
    """The part of `take_in` that is left out for kinds with shared specs. Raises ApiError 400."""
    _check(spec, SHAPES[kind]["spec"], "spec", Kind("", "v1", kind, ""))


def check_part(payload: Any, part: str) -> None:
    """Check the shape of an object that is not a resource: Binding, Eviction, DeleteOptions. Raises ApiError 400."""
    try:
        _check(payload, SHAPES[part], "", Kind("", "v1", part, ""))
    except Undecodable as problem:
        if part == "DeleteOptions":
            raise bad_request(
                problem.told.replace("preconditions of type struct", f"preconditions of type {_CONDITIONS}")
            ) from None
        raise


def _wrong(value: Any, expected: str, path: str, kind: Kind) -> ApiError:
    expected = _GO_TYPES.get(expected, expected)
    owner = path.rpartition(".")[0].rpartition(".")[2] or kind.kind
    place = f"Go struct field {owner}.{path} of type {expected}"
    return undecodable(kind, f"json: cannot unmarshal {kind_of(value)} into {place}")


def _check(value: Any, shape: Any, path: str, kind: Kind) -> None:
    if type(shape) is dict:
        if type(value) is not dict:
            raise _wrong(value, "struct", path, kind)
        for name, item in value.items():
            inner = shape.get(name)
            if inner is not None and item is not None:
                _check(item, inner, f"{path}.{name}" if path else name, kind)
    elif type(shape) is list:
        if type(value) is not list:
            raise _wrong(value, "list", path, kind)
        for item in value:
            _check(item, shape[0], path, kind)
    elif shape == "stringmap":
        _check_strings(value, path, kind)
    elif shape == "amounts":
        _check_amounts(value, path, kind)
    elif shape == "intorstring":
        if not isinstance(value, str):
            _check(value, "int32", path, kind)
    elif type(value) is not _TYPES[shape] or (shape == "int32" and value not in _INT32):
        raise _wrong(value, shape, path, kind)


def _check_amounts(value: Any, path: str, kind: Kind) -> None:
    """Quantities by name; an invalid quantity ends the decoding with its own message."""
    if type(value) is not dict:
        raise _wrong(value, "v1.ResourceList", path, kind)
    for amount in value.values():
        if amount is None:
            continue
        if type(amount) not in (str, int, float):
            raise undecodable(kind, _NO_QUANTITY)
        try:
            read_quantity(amount)
        except ValueError:
            raise undecodable(kind, _NO_QUANTITY) from None


def _check_strings(value: Any, path: str, kind: Kind) -> None:
    if type(value) is not dict:
        raise _wrong(value, "map[string]string", path, kind)
    for item in value.values():
        if type(item) is not str:
            raise _wrong(item, "string", path, kind)
