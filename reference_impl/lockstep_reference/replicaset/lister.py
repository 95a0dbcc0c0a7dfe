"""Looking up ReplicaSets and pods in the informers' caches.

Source: pkg/controller/replicaset/replica_set.go (resolveControllerRef, getPodReplicaSets,
getReplicaSetsWithSameController), client-go's listers/apps/v1, and pkg/controller/controller_utils.go
(PodControllerIndexKey, FilterPodsByOwner).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.wire import selectors
from lockstep.wire.meta import controller_of
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer
from lockstep_reference.replicaset.pod import Pod, PodCache

KIND = "ReplicaSet"
API_VERSION = "apps/v1"
#: Index of ReplicaSets by the uid of their controller.
CONTROLLER_UID_INDEX = "controllerUID"
#: Index of pods by their controller; orphans are found under their namespace.
POD_CONTROLLER_INDEX = "podController"


class ReplicaSetLister:
    """The cached ReplicaSets. `on_error` is told about users' errors that stop nothing."""

    def __init__(self, indexer: Indexer, on_error: Callable[[str], None]) -> None:
        self._indexer = indexer
        self._on_error = on_error

    def get(self, namespace: str, name: str) -> dict[str, Any] | None:
        """The ReplicaSet of that name, or None."""
        return self._indexer.get_by_key(f"{namespace}/{name}")

    def resolve_controller_ref(self, namespace: str, controller_ref: dict[str, Any]) -> dict[str, Any] | None:
        """The ReplicaSet that the reference means: found by name, and of the same uid; None for any other kind."""
        if controller_ref["kind"] != KIND:
            return None
        rs = self.get(namespace, controller_ref["name"])
        return rs if rs is not None and rs["metadata"]["uid"] == controller_ref["uid"] else None

    def get_pod_replica_sets(self, pod: dict[str, Any]) -> list[dict[str, Any]]:
        """The ReplicaSets of the pod's namespace whose selector matches it; an empty selector matches no pod."""
        metadata = pod["metadata"]
        pod_labels = metadata.get("labels")
        if not pod_labels:
            return []
        found = []
        for rs in self._indexer.by_index(NAMESPACE_INDEX, metadata.get("namespace", "")):
            selector = selector_of(rs)
            if selector is not None and not selector.empty() and selector.matches(pod_labels):
                found.append(rs)
        if len(found) > 1:
            self._on_error(f"user error! more than one {KIND} is selecting pods with labels: {pod_labels}")
        return found

    def get_replica_sets_with_same_controller(self, rs: dict[str, Any]) -> list[dict[str, Any]]:
        """The ReplicaSets with the same controller, `rs` among them; none, and an error, if it has no controller."""
        controller_ref = controller_of(rs)
        if controller_ref is None:
            metadata = rs["metadata"]
            self._on_error(f"ReplicaSet has no controller: {metadata['namespace']}/{metadata['name']}")
            return []
        return self._indexer.by_index(CONTROLLER_UID_INDEX, controller_ref["uid"])


class PodLister:
    """The cached pods, each read once per version."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._cache = PodCache()
        #: What was found last for each owner.
        self._found: dict[str, list[Pod]] = {}

    def filter_pods_by_owner(self, owner: dict[str, Any]) -> list[Pod]:
        """The pods whose controller is the ReplicaSet `owner`, then the orphans of its namespace."""
        metadata = owner["metadata"]
        key = _index_key_of_owner(metadata)
        owned = self._indexer.by_index(POD_CONTROLLER_INDEX, key)
        objects = [*owned, *self._indexer.by_index(POD_CONTROLLER_INDEX, metadata["namespace"])]
        found = self._found[key] = self._cache(objects, self._found.get(key))
        return found

    def list(self, namespace: str, selector: selectors.Selector) -> list[Pod]:
        """The pods of the namespace that the selector matches."""
        matches = selectors.Matcher(selector)
        pods = self._cache(self._indexer.by_index(NAMESPACE_INDEX, namespace))
        return [pod for pod in pods if matches[pod.label_set]]

    def forget(self, pod: dict[str, Any]) -> None:
        """The pod is gone from the informer's cache."""
        self._cache.forget(pod)

    def forget_owner(self, owner: dict[str, Any]) -> None:
        """The ReplicaSet is gone from the informer's cache."""
        self._found.pop(_index_key_of_owner(owner["metadata"]), None)


def selector_of(rs: dict[str, Any]) -> selectors.Selector | None:
    """The ReplicaSet's selector, or None if it is invalid and so matches nothing."""
    try:
        return selectors.selector_from(rs["spec"].get("selector"))
    except selectors.InvalidSelector:
        return None


def controller_uid_index(rs: dict[str, Any]) -> list[str]:
    """Index function of CONTROLLER_UID_INDEX."""
    controller_ref = controller_of(rs)
    return [controller_ref["uid"]] if controller_ref else []


def pod_controller_index(pod: dict[str, Any]) -> list[str]:
    """Index function of POD_CONTROLLER_INDEX."""
    return [pod_controller_index_key(pod["metadata"].get("namespace", ""), controller_of(pod))]


def _index_key_of_owner(metadata: dict[str, Any]) -> str:
    reference = {"kind": KIND, "name": metadata["name"], "uid": metadata["uid"]}
    return pod_controller_index_key(metadata["namespace"], reference)


def pod_controller_index_key(namespace: str, owner_reference: dict[str, Any] | None) -> str:
    """Where the pods of that controller are found, or the namespace's orphans if there is none."""
    if owner_reference is None:
        return namespace
    return f"{namespace}/{owner_reference['kind']}/{owner_reference['name']}/{owner_reference['uid']}"
