"""StatefulSets: pods with ordinals, created from the lowest up and deleted from the highest down, by default one at a
time.

From pkg/controller/statefulset/stateful_set_control.go. Not simulated: volume claims, controller revisions as objects,
`minReadySeconds`, and a `maxUnavailable` of updates other than 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.wire.pods import is_finished, is_ready
from lockstep.world.api import Api, Object
from lockstep.world.owners.dependents import Dependents
from lockstep.world.owners.pods import create_pod, delete_pod, revision_of, write_status

REVISION = "controller-revision-hash"
_NAME, _INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


@dataclass(slots=True)
class _Set:
    """One set with its pods, as they are now."""

    owner: Object
    name: str
    revision: str
    pods: dict[int, Object]
    wanted: range
    #: OrderedReady: one step at a time, and only when everything below is healthy.
    monotonic: bool


class StatefulSets:
    """Acts as the StatefulSet controller."""

    def __init__(self, api: Api, pods: Dependents) -> None:
        self._api = api
        self._pods = pods

    def reconcile(self, owner: Object) -> None:
        """updateStatefulSet: create missing pods, then delete surplus ones, then update; each step waits for the one
        before.
        """
        found = self._found(owner)
        if self._fill(found) and self._shrink(found):
            self._update(found)
        self._write_status(self._found(owner))

    def _found(self, owner: Object) -> _Set:
        spec, name = owner["spec"], owner["metadata"]["name"]
        first = (spec.get("ordinals") or {}).get("start", 0)
        ordinals = ((one, one["metadata"]["name"].rpartition("-")) for one in self._pods.of(owner))
        return _Set(
            owner=owner,
            name=name,
            revision=f"{name}-{revision_of(spec['template'])}",
            pods={int(tail): one for one, (head, _, tail) in ordinals if head == name and tail.isdecimal()},
            wanted=range(first, first + spec["replicas"]),
            monotonic=spec.get("podManagementPolicy") != "Parallel",
        )

    def _fill(self, found: _Set) -> bool:
        """ProcessReplica for each wanted ordinal. Returns whether the next step may begin."""
        for ordinal in found.wanted:
            pod = found.pods.get(ordinal)
            if pod is not None and is_finished(pod):
                if "deletionTimestamp" not in pod["metadata"]:
                    delete_pod(self._api, self._pods, pod)
                return False
            if pod is None:
                self._create(found, ordinal)
            if found.monotonic and (pod is None or not _is_healthy(pod)):
                return False
        return True

    def _shrink(self, found: _Set) -> bool:
        """processCondemned, from the highest ordinal down. Returns whether the next step may begin."""
        unhealthy = [ordinal for ordinal in sorted(found.pods) if not _is_healthy(found.pods[ordinal])]
        for ordinal in sorted(found.pods.keys() - set(found.wanted), reverse=True):
            pod = found.pods[ordinal]
            if "deletionTimestamp" in pod["metadata"]:
                if found.monotonic:
                    return False
            elif found.monotonic and not _is_healthy(pod) and ordinal != unhealthy[0]:
                return False
            else:
                delete_pod(self._api, self._pods, pod)
                if found.monotonic:
                    return False
        return True

    def _update(self, found: _Set) -> None:
        """Replace the highest pod that is not up to date, when all above it are healthy."""
        strategy = found.owner["spec"].get("updateStrategy") or {}
        if strategy.get("type") == "OnDelete":
            return
        partition = (strategy.get("rollingUpdate") or {}).get("partition", 0)
        for ordinal in reversed(found.wanted):
            pod = found.pods.get(ordinal)
            if pod is None or ordinal < partition:
                return
            if _revision(pod) != found.revision and "deletionTimestamp" not in pod["metadata"]:
                delete_pod(self._api, self._pods, pod)
                return
            if not _is_healthy(pod):
                return

    def _create(self, found: _Set, ordinal: int) -> None:
        name = f"{found.name}-{ordinal}"
        labels = {_NAME: name, _INDEX: str(ordinal), REVISION: found.revision}
        fields = {"hostname": name, "subdomain": found.owner["spec"].get("serviceName", "")}
        create_pod(self._api, self._pods, found.owner, name, labels, **fields)

    def _write_status(self, found: _Set) -> None:
        """computeReplicaStatus; every ready pod counts as available."""
        meta = found.owner["metadata"]
        ready = sum(pod["status"].get("phase") == "Running" and is_ready(pod) for pod in found.pods.values())
        current = [pod for pod in found.pods.values() if "deletionTimestamp" not in pod["metadata"]]
        updated = sum(_revision(pod) == found.revision for pod in current)
        status = {
            "observedGeneration": meta.get("generation", 0),
            "replicas": len(found.pods),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "updatedReplicas": updated,
            "currentReplicas": updated if updated == len(current) else len(current) - updated,
            "updateRevision": found.revision,
        }
        path = f"/apis/apps/v1/namespaces/{meta['namespace']}/statefulsets/{meta['name']}"
        write_status(self._api, path, found.owner, status)


def _revision(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(REVISION, ""))


def _is_healthy(pod: Object) -> bool:
    return pod["status"].get("phase") == "Running" and is_ready(pod) and "deletionTimestamp" not in pod["metadata"]
