"""Custom resources with a scale subresource: each has as many pods as its scale says, made from `spec.template`.

There is no upstream to follow: every operator does it in its own way. This one creates all missing pods at once and
deletes all surplus pods at once, unready ones first, then the youngest. It replaces pods that have ended.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.nested import nested, set_nested
from lockstep.apiserver.scale import selector_text
from lockstep.wire.pods import is_active, is_finished, is_ready
from lockstep.world.api import Api, Object, WorldError
from lockstep.world.owners.dependents import Dependents
from lockstep.world.owners.pods import create_pod, delete_pod, surplus


class CustomResources:
    """Acts as the operator of one kind."""

    def __init__(self, api: Api, pods: Dependents, kind: Kind) -> None:
        self._api = api
        self._pods = pods
        self._kind = kind

    def reconcile(self, owner: Object) -> None:
        """Create or delete pods, then write the status. A resource without a number of replicas is ignored."""
        paths = self._kind.scale_paths
        wanted = nested(owner, paths["specReplicasPath"], "int64")
        if wanted is None:
            return
        if not (owner.get("spec") or {}).get("template"):
            name = f"{self._kind.resource} {owner['metadata']['name']}"
            raise WorldError(f"{name} has no spec.template to make pods of: give it one, or do not manage its kind")
        for pod in self._pods.of(owner):
            if is_finished(pod) and "deletionTimestamp" not in pod["metadata"]:
                delete_pod(self._api, self._pods, pod)
        active = [pod for pod in self._pods.of(owner) if is_active(pod)]
        for _ in range(wanted - len(active)):
            create_pod(self._api, self._pods, owner, f"{owner['metadata']['name']}-")
        for pod in surplus(active, len(active) - wanted):
            delete_pod(self._api, self._pods, pod)
        self._write_status(owner)

    def _write_status(self, owner: Object) -> None:
        active = [pod for pod in self._pods.of(owner) if is_active(pod)]
        paths, meta = self._kind.scale_paths, owner["metadata"]
        fields: dict[str, Any] = {".status.readyReplicas": sum(map(is_ready, active))}
        fields[paths["statusReplicasPath"]] = len(active)
        selector = paths.get("labelSelectorPath")
        if selector:
            fields[selector] = _selector(owner)
        changed = owner
        for path, value in fields.items():
            changed = set_nested(changed, path, value)
        if changed.get("status") == owner.get("status"):
            return
        scope = f"/namespaces/{meta['namespace']}" if self._kind.namespaced else ""
        path = f"/apis/{self._kind.api_version}{scope}/{self._kind.plural}/{meta['name']}"
        subresource = "/status" if self._kind.has_status else ""
        self._api.merge(f"{path}{subresource}", {"status": changed["status"]})


def _selector(owner: Object) -> str:
    selector = owner["spec"].get("selector")
    if isinstance(selector, str):
        return selector
    if selector:
        return selector_text(selector)
    return selector_text({"matchLabels": (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}})
