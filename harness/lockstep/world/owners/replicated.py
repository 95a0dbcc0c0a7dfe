"""ReplicaSets and ReplicationControllers where no controller under test acts for them.

Not simulated: adoption and release of pods by selector, expectations, events, the deletion ranking by node and age.
"""

from __future__ import annotations

from lockstep.time.clock import SECOND, parse_rfc3339
from lockstep.wire.pods import is_active, is_finished, ready_since
from lockstep.wire.selectors import Selector, selector_from
from lockstep.world.api import Api, Object
from lockstep.world.owners.dependents import Dependents, Wake
from lockstep.world.owners.pods import create_pod, delete_pod, surplus, write_status


class Replicated:
    """Acts as the controller of one kind. `root`: the path of its objects."""

    def __init__(self, api: Api, pods: Dependents, root: str, wake: Wake) -> None:
        self._api = api
        self._pods = pods
        self._root = root
        self._wake = wake

    def reconcile(self, owner: Object) -> None:
        """Create or delete pods at once, then write the status."""
        active = [pod for pod in self._pods.of(owner) if is_active(pod)]
        missing = owner["spec"]["replicas"] - len(active)
        for _ in range(missing):
            create_pod(self._api, self._pods, owner, f"{owner['metadata']['name']}-")
        for pod in surplus(active, -missing):
            delete_pod(self._api, self._pods, pod)
        self._write_status(owner)

    def _write_status(self, owner: Object) -> None:
        meta = owner["metadata"]
        active = [pod for pod in self._pods.of(owner) if is_active(pod)]
        template = _template_selector(owner)
        ready = [pod for pod in active if ready_since(pod) is not None]
        status = {
            "replicas": len(active),
            "fullyLabeledReplicas": sum(template.matches(pod["metadata"].get("labels")) for pod in active),
            "readyReplicas": len(ready),
            "availableReplicas": sum(self._is_available(owner, pod) for pod in ready),
            "observedGeneration": meta.get("generation", 0),
        }
        if owner["kind"] == "ReplicaSet":
            status["terminatingReplicas"] = sum(
                "deletionTimestamp" in pod["metadata"] and not is_finished(pod) for pod in self._pods.of(owner)
            )
        write_status(self._api, f"{self._root.format(meta['namespace'])}/{meta['name']}", owner, status)

    def _is_available(self, owner: Object, pod: Object) -> bool:
        """IsPodAvailable. If not, the owner is reconciled again when the pod becomes available."""
        wait = owner["spec"].get("minReadySeconds", 0)
        if not wait:
            return True
        available = parse_rfc3339(ready_since(pod) or "") + wait * SECOND
        return self._wake(owner, available)


def _template_selector(owner: Object) -> Selector:
    labels = (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}
    return selector_from({"matchLabels": labels})
