"""One write of a controller as a small dict, without anything that differs between runs that behave alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lockstep.trace.pods import restarts
from lockstep.trace.unordered import sorted_operations, varies
from lockstep.trace.values import ABSENT, changes, digest, prune
from lockstep.wire.meta import Object
from lockstep.wire.pods import DELETION_COST, ready_since

if TYPE_CHECKING:
    from lockstep.trace.history import Write
    from lockstep.trace.model import Item
    from lockstep.trace.symbols import Symbols

_OK = 200
_BODY_FIELDS = ("labels", "annotations", "finalizers", "ownerReferences", "generateName")
_UNCOMPARED_PATHS = ("metadata.resourceVersion", "metadata.generation", "metadata.managedFields")


class Items:
    """Builds items, and collects the specs that they refer to by digest."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.specs: dict[str, Any] = {}

    def write(self, write: Write, pod: Object | None, colocated: int) -> Item:
        """Any write but those of status and events. `pod`: the pod that is removed, if any; see `describe_pod`."""
        item: Item = {
            "verb": write.verb,
            "resource": f"{write.resource}/{write.subresource}" if write.subresource else write.resource,
            "object": self.symbols.of(write),
        }
        if write.verb == "review":
            return item | self._review(write)
        if write.verb.startswith("delete") or write.subresource == "eviction":
            if pod is not None:
                described = self.describe_pod(pod, colocated)
                item["pod"] = {name: value for name, value in described.items() if name != "pod"}
            options = _without_kind(write.body)
            if options:
                item["options"] = self.symbols.value(options)
        elif write.verb == "create":
            item["body"] = self._body(write)
        elif not write.failed:
            item["changes"] = self.changed(write.before, write.after)
        elif write.verb == "patch":
            body = self.symbols.value(write.body)
            item["patch"] = sorted_operations(body) if isinstance(body, list) else body
        elif write.subresource == "scale":
            item["replicas"] = _replicas(write.body)
        return item | self._failure(write)

    def _review(self, write: Write) -> Item:
        """A webhook's answer, and the object it is about. Operations on different paths have no order."""
        asked, answer = write.body["object"], write.body["answer"]
        metadata = asked.get("metadata") or {}
        item: Item = {
            "about": {name: self.symbols.value(metadata[name]) for name in _BODY_FIELDS if metadata.get(name)}
        }
        if "spec" in asked:
            item["about"]["spec"] = self.spec_digest(asked["spec"])
        shown = self.symbols.value(answer)
        if isinstance(shown, dict) and isinstance(shown.get("patch"), list):
            shown = {**shown, "patch": sorted_operations(shown["patch"])}
        item["answer"] = shown
        return item | ({"code": write.code, "message": write.message} if write.code != _OK else {})

    def event(self, write: Write) -> Item | None:
        """A write of an Event, core or events.k8s.io. `object` is what the event is about.

        client-go names an event after its object and the nanosecond. Virtual time stands still inside an instant, so
        two events there have one name and the server refuses the second: an accident of the clock, which is ignored.
        None: client-go increased the count of an event that is gone, and creates it next. If the message varies,
        upstream may do so or not.
        """
        event = write.after or (write.body if isinstance(write.body, dict) else {})
        involved = event.get("involvedObject") or event.get("regarding") or {}
        item: Item = {
            "verb": write.verb,
            "object": f"{involved.get('kind', '?')} {self.symbols.of_name(involved)}",
            "type": event.get("type", ""),
            "reason": event.get("reason", ""),
            "message": self.symbols.text(event.get("message") or event.get("note") or ""),
            "count": event.get("count") or (event.get("series") or {}).get("count") or 1,
            "source": (event.get("source") or {}).get("component") or event.get("reportingController") or "",
        }
        if varies(item["message"]):
            if write.verb == "patch" and write.code == 404:
                return None
            item |= {"verb": "create", "count": 1}
        if write.failed and write.reason != "AlreadyExists":
            item["failure"] = {"code": write.code, "reason": write.reason}
        return item

    def describe_pod(self, pod: Object, colocated: int = 0) -> Item:
        """A pod as upstream's deletion ranking sees it (`controller.ActivePodsWithRanks.Less`), without its name.

        Two controllers may remove different pods of one description, never pods of different descriptions. Fields that
        are zero or false are left out. `colocated`: how many active pods of the same or a related owner its node holds.
        """
        spec, status, metadata = pod.get("spec") or {}, pod.get("status") or {}, pod.get("metadata") or {}
        since = ready_since(pod)
        regular, sidecar = restarts(pod)
        item: Item = {
            "pod": self.symbols.of_object(pod),
            "phase": status.get("phase", ""),
            "scheduled": bool(spec.get("nodeName")),
            "ready": None if since is None else self.symbols.since_start(since),
            "restarts": regular,
            "sidecar_restarts": sidecar,
            "cost": (metadata.get("annotations") or {}).get(DELETION_COST),
            "created": self.symbols.since_start(metadata.get("creationTimestamp") or ""),
            "deleted": self.symbols.since_start(metadata.get("deletionTimestamp") or ""),
            "colocated": colocated,
        }
        return {key: value for key, value in item.items() if value}

    def changed(self, before: Object | None, after: Object | None) -> dict[str, list[Any]]:
        """The paths that a write changed, each with its value before and after; null: absent."""
        return {
            self.symbols.text(path): [_or_null(self.symbols.value(old)), _or_null(self.symbols.value(new))]
            for path, (old, new) in changes(before, after).items()
            if not path.startswith(_UNCOMPARED_PATHS)
        }

    def spec_digest(self, spec: Any) -> str:
        """Keep a spec in `specs`; its key there."""
        pruned = prune(spec)
        key = digest(pruned)[:12]
        self.specs[key] = pruned
        return key

    def _body(self, write: Write) -> Item:
        stored = write.after or (write.body if isinstance(write.body, dict) else {})
        if "spec" not in stored:
            return dict(self.symbols.value(prune(_without_kind(stored))))
        metadata = stored.get("metadata") or {}
        body = {name: self.symbols.value(metadata[name]) for name in _BODY_FIELDS if metadata.get(name)}
        return body | {"spec": self.spec_digest(stored["spec"])}

    def _failure(self, write: Write) -> Item:
        if not write.failed:
            return {}
        return {"code": write.code, "reason": write.reason, "message": self.symbols.text(write.message)}


def _without_kind(body: Any) -> dict[str, Any]:
    """An options object without its kind and apiVersion."""
    if not isinstance(body, Mapping):
        return {}
    return {key: value for key, value in body.items() if key not in ("kind", "apiVersion") and value is not None}


def _replicas(scale: Any) -> int:
    """The replicas of a Scale; zero is left out on the wire."""
    return int((scale.get("spec") or {}).get("replicas") or 0) if isinstance(scale, Mapping) else 0


def _or_null(value: Any) -> Any:
    return None if value is ABSENT else value
