"""A small simulated API server log: tests write histories in terms of what happened, not of dictionaries."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lockstep.time.clock import rfc3339, seconds
from lockstep.trace.history import History, Write

CONTROLLER = "replicaset-controller"


class HistoryBuilder:
    """Builds a history. `salt` makes names and uids differ from those of another history that is otherwise the same."""

    def __init__(self, salt: str = "a") -> None:
        self.history = History([CONTROLLER])
        self.salt = salt
        self.now = 0.0
        self.objects: dict[tuple[str, str], dict[str, Any]] = {}
        self._numbers = 0

    # -- plumbing -----------------------------------------------------------------------------------------------------

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def uid(self) -> str:
        return f"00000000-0000-4000-8000-{ord(self.salt):04x}{self.number():08x}"

    def write(self, actor: str, verb: str, resource: str, name: str, **fields: Any) -> Write:
        write = Write(
            at=seconds(self.now),
            actor=actor,
            verb=verb,
            resource=resource,
            subresource=fields.pop("subresource", ""),
            namespace=fields.pop("namespace", "default"),
            name=name,
            code=fields.pop("code", 200),
            reason=fields.pop("reason", ""),
            before=fields.pop("before", None),
            after=fields.pop("after", None),
            body=fields.pop("body", None),
            message=fields.pop("message", ""),
        )
        assert not fields
        self.history.record(write)
        return write

    def store(self, actor: str, verb: str, resource: str, obj: dict[str, Any], **fields: Any) -> dict[str, Any]:
        name = obj["metadata"]["name"]
        before = self.objects.get((resource, name))
        obj["metadata"]["resourceVersion"] = str(self.number())
        self.objects[resource, name] = obj
        self.write(actor, verb, resource, name, before=before, after=obj, **fields)
        return obj

    def remove(self, actor: str, resource: str, name: str, **fields: Any) -> None:
        self.write(actor, "delete", resource, name, before=self.objects.pop((resource, name)), **fields)

    def get(self, resource: str, name: str) -> dict[str, Any]:
        return copy.deepcopy(self.objects[resource, name])

    # -- what happens -------------------------------------------------------------------------------------------------

    def at(self, now: float) -> HistoryBuilder:
        self.now = now
        return self

    def replica_set(self, name: str = "web", replicas: int = 1, **spec: Any) -> dict[str, Any]:
        obj = {
            "metadata": {"name": name, "namespace": "default", "uid": self.uid(), "generation": 1},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}},
                **spec,
            },
            "status": {"replicas": 0},
        }
        return self.store("scenario", "create", "replicasets.apps", obj)

    def change(self, resource: str, name: str, actor: str = "scenario", subresource: str = "", **parts: Any) -> None:
        """Merge into the parts of an object: `spec={...}`, `status={...}`, `metadata={...}`."""
        obj = self.get(resource, name)
        for part, fields in parts.items():
            obj.setdefault(part, {}).update(fields)
        self.store(actor, "update", resource, obj, subresource=subresource, body=obj)

    def pod_body(self, owner: str, replica_set: dict[str, Any] | None = None) -> dict[str, Any]:
        owning = replica_set or self.objects["replicasets.apps", owner]
        reference = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": owner,
            "uid": owning["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        return {
            "metadata": {"generateName": f"{owner}-", "labels": {"app": owner}, "ownerReferences": [reference]},
            "spec": {"containers": [{"name": "main", "image": "pause"}]},
        }

    def create_pod(self, owner: str = "web", body: dict[str, Any] | None = None) -> str:
        sent = body or self.pod_body(owner)
        name = f"{owner}-{self.salt}{self.number():04d}"
        obj = copy.deepcopy(sent)
        obj["metadata"] |= {
            "name": name,
            "namespace": "default",
            "uid": self.uid(),
            "creationTimestamp": rfc3339(seconds(self.now)),
        }
        obj["status"] = {"phase": "Pending"}
        self.store(CONTROLLER, "create", "pods", obj, body=sent, code=201)
        return name

    def fail_create(self, owner: str = "web", message: str = "exceeded quota: q, used: pods=5", **fields: Any) -> None:
        fields = {"code": 403, "reason": "Forbidden", "message": message} | fields
        self.write(CONTROLLER, "create", "pods", "", body=self.pod_body(owner), **fields)

    def run_pod(self, name: str, node: str = "node-1", *, ready: bool = True, **status: Any) -> None:
        condition = {
            "type": "Ready",
            "status": "True" if ready else "False",
            "lastTransitionTime": rfc3339(seconds(self.now)),
        }
        status = {"phase": "Running", "conditions": [condition]} | status
        self.change("pods", name, "kubelet", "status", spec={"nodeName": node}, status=status)

    def delete_pod(self, name: str, **fields: Any) -> None:
        """Graceful: the pod stays, with a deletionTimestamp."""
        obj = self.get("pods", name)
        obj["metadata"] |= {"deletionTimestamp": rfc3339(seconds(self.now + 30)), "deletionGracePeriodSeconds": 30}
        self.store(CONTROLLER, "delete", "pods", obj, **fields)

    def set_status(self, name: str = "web", **status: Any) -> None:
        self.change("replicasets.apps", name, CONTROLLER, "status", status=status)

    def event(self, reason: str, message: str, *, about: str = "web", count: int = 1) -> None:
        involved = self.objects["replicasets.apps", about]["metadata"]
        event = {
            "metadata": {"name": f"{about}.{self.number():x}", "namespace": "default", "uid": self.uid()},
            "involvedObject": {
                "kind": "ReplicaSet",
                "name": about,
                "namespace": "default",
                "uid": involved["uid"],
                "resourceVersion": involved["resourceVersion"],
            },
            "type": "Normal",
            "reason": reason,
            "message": message,
            "count": count,
            "source": {"component": CONTROLLER},
            "firstTimestamp": rfc3339(seconds(self.now)),
        }
        self.store(CONTROLLER, "create" if count == 1 else "patch", "events", event, body=event)


def scale_up(builder: HistoryBuilder, replicas: int = 3) -> list[str]:
    """A ReplicaSet gets its pods at second 1, they are ready at second 3, and the status follows."""
    builder.at(1).replica_set(replicas=replicas)
    names = [builder.create_pod() for _ in range(replicas)]
    for name in names:
        builder.event("SuccessfulCreate", f"Created pod: {name}")
    builder.set_status(replicas=replicas, observedGeneration=1)
    builder.at(3)
    for name in names:
        builder.run_pod(name)
    builder.set_status(readyReplicas=replicas, availableReplicas=replicas)
    return names


@pytest.fixture
def make_story() -> type[HistoryBuilder]:
    return HistoryBuilder


@pytest.fixture
def builder() -> HistoryBuilder:
    return HistoryBuilder()


@pytest.fixture
def scaled_up() -> Any:
    """The function `scale_up`."""
    return scale_up
