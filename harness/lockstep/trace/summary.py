"""The summary of a trace: what a controller did and what it left behind, without anything that depends on the clock.

On a real clock no two writes happen at one instant, several changes of status may become one write, and a write that
meets a conflict is retried. So a summary leaves out when and in what order things happened, how often something was
refused or reported, and which of several pods of one owner it concerned. It keeps every write that had an effect, with
its number; every kind of refusal and of event; and the objects and their pods at the end.

A summary is a trace with one instant, so summaries are compared, and their differences shown, like traces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lockstep.trace.model import Item, Trace, multiset, times
from lockstep.trace.unordered import COMBINED
from lockstep.trace.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Part of a symbol: which pod of an owner.
_NUMBER = re.compile(r"#\d+")
#: The state of a pod when it is removed, and its times.
_TIMES = frozenset({"phase", "scheduled", "ready", "created", "deleted", "restarts", "sidecar_restarts", "colocated"})
#: Progress of pods: they are still changing when a scenario ends, and a real clock does not end it at the same moment.
_PROGRESS = frozenset({"status.readyReplicas", "status.availableReplicas", "status.terminatingReplicas"})
#: Paths that others may have changed just before a write: kubelets and controllers the status, the scheduler the node.
_OTHERS = ("status.", "spec.nodeName")
#: Refusals that depend on which of two writers was faster.
_RACES = frozenset({"Conflict", "AlreadyExists", "NotFound"})
#: Resources that are written periodically while a scenario lasts.
_PERIODIC = frozenset({"leases.coordination.k8s.io"})
#: Letters of the digest that names a spec (`Items.spec_digest`).
_DIGEST = 12

#: Fields that depend on when things happened. `totalWeight` of a checkpoint depends on its reference, a calendar
#: midnight: virtual time always begins at the same one.
_TIMES_OF_OBJECTS = frozenset(
    {
        "creationTimestamp",
        "referenceTimestamp",
        "totalWeight",
        "firstSampleStart",
        "lastSampleStart",
        "lastUpdateTime",
    }
)

#: What admission of a real cluster adds to a pod.
_ADMITTED = {
    "priority": 0,
    "preemptionPolicy": "PreemptLowerPriority",
    "serviceAccount": "default",
    "serviceAccountName": "default",
}
_LIMITED = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}


def summarize(trace: Trace) -> Trace:
    """The summary of a trace; see the module docstring."""
    specs = {name: _requested(spec) for name, spec in trace.specs.items()}
    digests = {name: digest(spec)[:_DIGEST] for name, spec in specs.items()}
    writes = [_with_requested_specs(one, digests) for instant in trace.instants for one in instant.get("writes", ())]
    events = [one for instant in trace.instants for one in instant.get("events", ())]
    instant: Item = {"at": "0.000"}
    if kept := _writes(writes):
        instant["writes"] = kept
    if kept := _once(_event(one) for one in events if "failure" not in one and not _is_combined(one)):
        instant["events"] = kept
    final = {"objects": _objects(trace.final["objects"]), "pods": _pods(trace.final["pods"])}
    return Trace((instant,) if len(instant) > 1 else (), {digests[name]: spec for name, spec in specs.items()}, final)


def _requested(spec: Any) -> Any:
    """A pod's spec as it was requested: without what admission adds to each pod of a real cluster."""
    if not isinstance(spec, dict) or "containers" not in spec:
        return spec
    kept = {name: value for name, value in spec.items() if _ADMITTED.get(name) != value}
    tolerations = [one for one in spec.get("tolerations") or () if not _is_default(one)]
    kept.pop("tolerations", None)
    return kept | ({"tolerations": tolerations} if tolerations else {})


def _is_default(toleration: Mapping[str, Any]) -> bool:
    return toleration.get("key") in _LIMITED and toleration.get("tolerationSeconds") == 300


def _with_requested_specs(one: Item, digests: Mapping[str, str]) -> Item:
    """A write whose references to specs are replaced by those of the requested specs."""
    for holder in ("body", "about"):
        held = one.get(holder)
        if isinstance(held, dict) and isinstance(held.get("spec"), str) and held["spec"] in digests:
            one = {**one, holder: {**held, "spec": digests[held["spec"]]}}
    return one


def _writes(writes: Iterable[Item]) -> list[Item]:
    done: list[Item] = []
    refused: list[Item] = []
    for one in writes:
        if one["resource"] in _PERIODIC:
            continue
        if "code" not in one:
            if one.get("changes", True):  # an update that changes nothing has no effect
                done += [_write(one)] * times(one)
        elif one.get("reason") not in _RACES:
            refused.append(_write(one))
    return [*multiset(done), *_once(refused)]


def _write(one: Item) -> Item:
    kept = {name: value for name, value in one.items() if name != "times"}
    if "changes" in kept:  # what others changed meanwhile does not belong to this write
        kept["changes"] = {path: pair for path, pair in kept["changes"].items() if not path.startswith(_OTHERS)}
    if "pod" in kept:
        kept["pod"] = _pod(kept["pod"])
    kept.pop("options", None)  # preconditions name versions
    result: Item = _plain(kept)
    return result


def _event(one: Item) -> Item:
    kept = {name: value for name, value in one.items() if name not in ("times", "count", "verb")}
    result: Item = _plain(kept)
    return result


def _is_combined(event: Item) -> bool:
    """Whether it is a combined event. The events that it combines are in the summary; which of them counts it depends
    on timing.
    """
    return str(event.get("message", "")).startswith(COMBINED)


def _pod(pod: Mapping[str, Any]) -> Item:
    return {name: value for name, value in pod.items() if name not in _TIMES}


def _once(items: Iterable[Item]) -> list[Item]:
    return [{name: value for name, value in one.items() if name != "times"} for one in multiset(items)]


def _objects(objects: Mapping[str, Any]) -> Item:
    return {
        _plain(name): {path: _plain(value) for path, value in fields.items() if not _is_transient(path)}
        for name, fields in objects.items()
    }


def _is_transient(path: str) -> bool:
    return path in _PROGRESS or path.lower().endswith("time") or path.rpartition(".")[2] in _TIMES_OF_OBJECTS


def _pods(pods: Mapping[str, Any]) -> Item:
    """The remaining pods of each owner, without their progress, which depends on the kubelets."""
    left = {
        _plain(owner): multiset(_left(one) for one in held if "deleted" not in one for _ in range(times(one)))
        for owner, held in pods.items()
    }
    return {owner: held for owner, held in left.items() if held}


def _left(pod: Mapping[str, Any]) -> Item:
    return {"pod": _plain(pod["pod"]), "ended": pod.get("phase") in ("Succeeded", "Failed")}


def _plain(value: Any) -> Any:
    """A value without pod numbers and instants."""
    if isinstance(value, str):
        return _NUMBER.sub("#", value)
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items() if key not in _TIMES_OF_OBJECTS}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value
