"""Creating and deleting the pods of an owner."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from lockstep.apiserver import Reply
from lockstep.objects import controller_reference
from lockstep.wire.pods import is_ready
from lockstep.world.api import Api, Object, pod_path
from lockstep.world.canonical import canonical_order
from lockstep.world.owners.dependents import Dependents

#: The letters of generated names: no vowels and no look-alikes (apimachinery/pkg/util/rand).
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


class Refused(Exception):
    """A quota refused an object that an owner wants."""


def revision_of(template: Any) -> str:
    """A short hash of a pod template, for labels and names; equal for equal templates."""
    digest = hashlib.sha256(orjson.dumps(template, option=orjson.OPT_SORT_KEYS)).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:10])


def create_pod(
    api: Api, pods: Dependents, owner: Object, name: str, labels: Mapping[str, str] | None = None, **spec: Any
) -> None:
    """A pod of the owner's template; a name that ends in "-" is completed by the server. Raises Refused."""
    template = owner["spec"]["template"]
    meta = template.get("metadata") or {}
    metadata: Object = {
        ("generateName" if name.endswith("-") else "name"): name,
        "labels": {**(meta.get("labels") or {}), **(labels or {})},
        "ownerReferences": [controller_reference(owner)],
    }
    metadata.update((part, meta[part]) for part in ("annotations", "finalizers") if meta.get(part))
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**template["spec"], **spec}}
    path = f"/api/v1/namespaces/{owner['metadata']['namespace']}/pods"
    replies: list[Reply] = []

    def answered(reply: Reply) -> None:
        replies.append(reply)
        pods.answered(owner)
        if reply.status == 201 and reply.body is not None:
            pods.wrote(reply.body)

    pods.asked(owner)
    api.submit("POST", path, body, answered, expected=(403, 404, 409))
    if replies and replies[0].status == 403:
        raise Refused


def delete_pod(api: Api, pods: Dependents, pod: Object) -> None:
    """Delete a pod with its grace period."""
    preconditions = {"uid": pod["metadata"]["uid"]}
    api.write("DELETE", pod_path(pod), {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": preconditions})
    pods.wrote(pod)


def surplus(active: list[Object], count: int) -> list[Object]:
    """The pods to delete: unready ones first, then the youngest; any of those that are alike."""
    ordered = canonical_order(active)
    unready, ready = ([pod for pod in ordered if is_ready(pod) is wanted] for wanted in (False, True))
    return [*unready, *reversed(ready)][: max(0, count)]


def write_status(api: Api, path: str, owner: Object, status: Mapping[str, Any]) -> None:
    """Merge `status` into the owner's, if that changes a field. Zero and absent are equal."""
    before = owner.get("status") or {}
    changed = {key: value for key, value in status.items() if (before.get(key) or 0) != (value or 0)}
    if changed:
        api.merge(f"{path}/status", {"status": changed})
