"""Drawing sequences: of few kinds and names, so that requests conflict."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lockstep.quality.fidelity.sequences.operations import FRESH, NONE, STALE, ZERO, Operation

Strategy = st.SearchStrategy[Any]
_NAMES = st.sampled_from(["a", "b"])
_VERSIONS = st.sampled_from([NONE, NONE, NONE, FRESH, FRESH, STALE, STALE, ZERO])
_LABELS = st.sampled_from([{}, {"x": "1"}, {"x": "2"}, {"x": "1", "y": "1"}])
_FINALIZERS = st.sampled_from([[], [], [], ["example.com/hold"]])
_POD = {"containers": [{"name": "main", "image": "pause:1"}]}
_KEYS = {"app": "web"}
_TEMPLATE = {"metadata": {"labels": _KEYS}, "spec": _POD}
_TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
_COUNTS = st.integers(-1, 3)
_SELECTORS = st.sampled_from(["x=1", "x", "!x", "x in (1,2)", "x!=1", "x notin (2),y"])

_SPECS: dict[str, Strategy] = {
    "configmaps": st.fixed_dictionaries({"data": st.sampled_from([{}, {"k": "1"}, {"k": "2", "l": "1"}])}),
    "pods": st.fixed_dictionaries(
        {
            "spec": st.sampled_from(
                [
                    _POD,
                    {**_POD, "nodeName": "node-1"},
                    {**_POD, "activeDeadlineSeconds": 60},
                    {**_POD, "restartPolicy": "OnFailure"},
                    {**_POD, "restartPolicy": "Never"},
                ]
            )
        }
    ),
    "replicasets": st.builds(
        lambda count: {"spec": {"replicas": count, "selector": {"matchLabels": _KEYS}, "template": _TEMPLATE}}, _COUNTS
    ),
    "deployments": st.builds(
        lambda count: {"spec": {"replicas": count, "selector": {"matchLabels": _KEYS}, "template": _TEMPLATE}}, _COUNTS
    ),
    "leases": st.builds(
        lambda who, length: {"spec": {"holderIdentity": who, "leaseDurationSeconds": length}},
        st.sampled_from(["me", "you"]),
        _COUNTS,
    ),
    "horizontalpodautoscalers": st.builds(
        lambda most: {"spec": {"scaleTargetRef": _TARGET, "maxReplicas": most}}, _COUNTS
    ),
    "poddisruptionbudgets": st.builds(
        lambda least: {"spec": {"minAvailable": least, "selector": {"matchLabels": {"x": "1"}}}}, _COUNTS
    ),
}
#: What patches set, by kind.
_CHANGES: dict[str, Strategy] = {
    "configmaps": st.sampled_from([{"data": {"k": "3"}}, {"data": {"k": None}}, {"data": None}, {}]),
    "pods": st.sampled_from([{"spec": {"activeDeadlineSeconds": 30}}, {}]),
    "replicasets": st.builds(lambda count: {"spec": {"replicas": count}}, _COUNTS),
    "deployments": st.builds(lambda count: {"spec": {"replicas": count}}, _COUNTS),
    "leases": st.sampled_from(
        [{"spec": {"holderIdentity": "other"}}, {"spec": {"leaseTransitions": 1}}, {"spec": None}]
    ),
    "horizontalpodautoscalers": st.builds(lambda most: {"spec": {"minReplicas": most}}, _COUNTS),
    "poddisruptionbudgets": st.builds(lambda least: {"spec": {"minAvailable": least}}, _COUNTS),
}


def _container(state: dict[str, Any]) -> dict[str, Any]:
    named = {"name": "main", "image": "pause:1", "imageID": ""}
    return {"containerStatuses": [{**named, "ready": False, "restartCount": 0, "state": state}]}


_POD_STATUSES = [
    {"phase": "Running"},
    {"phase": "Succeeded"},
    {"reason": "Odd"},
    {"conditions": [{"type": "Ready", "status": "True"}]},
    {"conditions": [{"type": "Ready", "status": "False"}, {"type": "example.com/ours", "status": "True"}]},
    {"conditions": None},
    {"nominatedNodeName": "node-3"},
    _container({"running": {"startedAt": "2026-01-01T00:00:00Z"}}),
    _container({"terminated": {"exitCode": 0}}),
    _container({"terminated": {"exitCode": 1}}),
    {"podIP": "10.0.0.1"},
    {"podIPs": [{"ip": "10.0.0.2"}]},
    {"podIPs": [{"ip": "fd00::1"}]},
    {"podIPs": None},
    {"hostIP": "10.0.0.9", "hostIPs": [{"ip": "10.0.0.9"}]},
]
_STATUSES: dict[str, Strategy] = {
    "pods": st.sampled_from(_POD_STATUSES),
    "replicasets": st.builds(lambda count: {"replicas": count}, _COUNTS),
    "deployments": st.builds(lambda count: {"replicas": count, "readyReplicas": 1}, _COUNTS),
    "horizontalpodautoscalers": st.builds(lambda count: {"currentReplicas": count, "desiredReplicas": 1}, _COUNTS),
}
_STATUSES["poddisruptionbudgets"] = st.builds(
    lambda allowed: {
        "disruptionsAllowed": allowed,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
        "observedGeneration": 1,
    },
    _COUNTS,
)
_JSON = st.sampled_from(
    [
        [{"op": "add", "path": "/metadata/labels", "value": {"x": "2"}}],
        [{"op": "replace", "path": "/metadata/labels/x", "value": "1"}],
        [{"op": "remove", "path": "/metadata/labels"}],
        [{"op": "test", "path": "/metadata/name", "value": "a"}],
        [{"op": "remove", "path": "/metadata/finalizers"}],
    ]
)
_METADATA = st.sampled_from(
    [
        {"metadata": {"labels": {"x": "2"}}},
        {"metadata": {"labels": None}},
        {"metadata": {"annotations": {"note": "1"}}},
        {"metadata": {"finalizers": None}},
        {"metadata": {"finalizers": ["example.com/other"]}},
    ]
)
_SCALED = ("replicasets", "deployments")
_DRY = st.sampled_from([(), (), (), (("dryRun", "All"),)])
_OPTIONS = st.sampled_from(
    [
        None,
        None,
        {"gracePeriodSeconds": 0},
        {"gracePeriodSeconds": 10},
        {"propagationPolicy": "Foreground"},
        {"propagationPolicy": "Orphan"},
        {"propagationPolicy": "Background"},
    ]
)


@st.composite
def _object(draw: st.DrawFn, plural: str, name: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "labels": draw(_LABELS)}
    finalizers = draw(_FINALIZERS)
    return {"metadata": {**metadata, "finalizers": finalizers} if finalizers else metadata, **draw(_SPECS[plural])}


@st.composite
def _write(draw: st.DrawFn, plural: str) -> Operation:
    name, verb = draw(_NAMES), draw(st.sampled_from(["create", "create", "put"]))
    body, query = draw(_object(plural, name)), draw(_DRY)
    if verb == "create":
        return Operation("create", plural, body=body, query=query)
    return Operation("put", plural, name, body=body, version=draw(_VERSIONS), query=query)


@st.composite
def _patch(draw: st.DrawFn, plural: str) -> Operation:
    name = draw(_NAMES)
    kind = draw(st.sampled_from(["merge", "strategic", "json"]))
    body = draw(_JSON if kind == "json" else st.one_of(_METADATA, _CHANGES[plural]))
    return Operation("patch", plural, name, body=body, version=draw(_VERSIONS), kind=kind, query=draw(_DRY))


@st.composite
def _status(draw: st.DrawFn, plural: str) -> Operation:
    body = {"status": draw(_STATUSES[plural])}
    kind = draw(st.sampled_from(["merge", "strategic"]))
    return Operation("patch", plural, draw(_NAMES), "status", body, draw(_VERSIONS), kind)


@st.composite
def _scale(draw: st.DrawFn, plural: str) -> Operation:
    name = draw(_NAMES)
    if draw(st.booleans()):
        return Operation("get", plural, name, "scale")
    body = {"spec": {"replicas": draw(_COUNTS)}}
    return Operation("patch", plural, name, "scale", body, draw(_VERSIONS), query=draw(_DRY))


@st.composite
def _delete(draw: st.DrawFn, plural: str) -> Operation:
    if draw(st.integers(0, 4)) == 0:
        return Operation("delete", plural, query=(("labelSelector", draw(_SELECTORS)),))
    return Operation("delete", plural, draw(_NAMES), body=draw(_OPTIONS), version=draw(_VERSIONS), query=draw(_DRY))


@st.composite
def _read(draw: st.DrawFn, plural: str) -> Operation:
    if draw(st.booleans()):
        return Operation("get", plural, draw(_NAMES))
    query = draw(st.lists(st.sampled_from([("labelSelector", "x"), ("limit", "1")]), unique=True))
    selector = draw(st.sampled_from([(), (("labelSelector", draw(_SELECTORS)),)]))
    fields = draw(st.sampled_from([(), (("fieldSelector", "metadata.name=a"),)]))
    return Operation("list", plural, query=tuple(dict([*query, *selector, *fields]).items()))


@st.composite
def _watch(draw: st.DrawFn, plural: str) -> Operation:
    selector = draw(st.sampled_from([(), (("labelSelector", draw(_SELECTORS)),)]))
    return Operation("watch", plural, query=selector, version=draw(st.sampled_from([NONE, FRESH, STALE])))


@st.composite
def _pod(draw: st.DrawFn) -> Operation:
    name = draw(_NAMES)
    if draw(st.booleans()):
        bound = {"metadata": {"name": name}, "target": {"kind": "Node", "name": "node-2"}}
        return Operation("create", "pods", name, "binding", bound)
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    return Operation("create", "pods", name, "eviction", body)


def _operation(plural: str) -> Strategy:
    """A request about a kind; more often a write than not."""
    some = [
        _write(plural),
        _write(plural),
        _patch(plural),
        _patch(plural),
        _delete(plural),
        _read(plural),
        _watch(plural),
    ]
    if plural in _STATUSES:
        some.append(_status(plural))
    if plural in _SCALED:
        some.append(_scale(plural))
    if plural == "pods":
        some.append(_pod())
    return st.one_of(some)


_OPERATIONS = {plural: _operation(plural) for plural in _SPECS}
_KINDS = st.lists(st.sampled_from(list(_SPECS)), min_size=1, max_size=2, unique=True)


def sequences() -> Strategy:
    """Five to fifteen operations on one or two kinds, often with watches that see all of them."""
    return _KINDS.flatmap(
        lambda kinds: st.builds(
            list.__add__,
            st.lists(st.one_of([_watch(plural) for plural in kinds]), max_size=2),
            st.lists(st.one_of([_OPERATIONS[plural] for plural in kinds]), min_size=5, max_size=13),
        )
    )
