"""Deployments: one ReplicaSet for each pod template, resized step by step as a rolling update allows.

The arithmetic is in `rollout`. Not simulated: revisions and rollback, progress deadlines, conditions, clean-up of old
ReplicaSets, hash collisions.
"""

from __future__ import annotations

from lockstep.objects import controller_reference
from lockstep.wire.pods import is_finished
from lockstep.world.api import Api, Object
from lockstep.world.owners.dependents import Dependents
from lockstep.world.owners.pods import revision_of, write_status
from lockstep.world.owners.rollout import DESIRED, MAXIMUM, Resize, Rollout, size

HASH = "pod-template-hash"


class Deployments:
    """Acts as the deployment controller."""

    def __init__(self, api: Api, sets: Dependents, pods: Dependents) -> None:
        self._api = api
        self._sets = sets
        self._pods = pods

    def reconcile(self, owner: Object) -> None:
        """syncDeployment: scale if that is due, else roll out; then write the status."""
        rollout = self._rollout(owner)
        if owner["spec"].get("paused") or rollout.is_scaling():
            self._resize(owner, rollout, rollout.scaled())
        elif rollout.rolling:
            self._roll(owner, rollout)
        else:
            self._recreate(owner, rollout)
        self._write_status(owner, self._rollout(owner))

    def _rollout(self, owner: Object) -> Rollout:
        revision = revision_of(owner["spec"]["template"])
        sets = [one for one in self._sets.of(owner) if "deletionTimestamp" not in one["metadata"]]
        new = next((one for one in sets if (one["metadata"].get("labels") or {}).get(HASH) == revision), None)
        return Rollout(owner, new, [one for one in sets if one is not new])

    def _roll(self, owner: Object, rollout: Rollout) -> None:
        if rollout.new is None:
            self._create(owner, rollout)
        else:
            self._resize(owner, rollout, rollout.rolled())

    def _recreate(self, owner: Object, rollout: Rollout) -> None:
        """First no old pod, then all new ones (rolloutRecreate)."""
        if any(map(size, rollout.old)):
            self._resize(owner, rollout, [Resize(one, 0) for one in rollout.old if size(one)])
        elif any(not is_finished(pod) for one in rollout.old for pod in self._pods.of(one)):
            return
        elif rollout.new is None:
            self._create(owner, rollout)
        elif size(rollout.new) != rollout.replicas:
            self._resize(owner, rollout, [Resize(rollout.new, rollout.replicas)])

    # -- writing ------------------------------------------------------------------------------------------------------

    def _create(self, owner: Object, rollout: Rollout) -> None:
        meta, spec = owner["metadata"], owner["spec"]
        template, selector = spec["template"], spec["selector"]
        revision = revision_of(template)
        labels = {**(template["metadata"].get("labels") or {}), HASH: revision}
        body = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{meta['name']}-{revision}",
                "labels": labels,
                "annotations": _annotations(rollout),
                "ownerReferences": [controller_reference(owner)],
            },
            "spec": {
                "replicas": rollout.first_size(),
                "minReadySeconds": spec.get("minReadySeconds", 0),
                "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), HASH: revision}},
                "template": {**template, "metadata": {**template["metadata"], "labels": labels}},
            },
        }
        reply = self._api.write("POST", f"/apis/apps/v1/namespaces/{meta['namespace']}/replicasets", body)
        if reply.status == 201 and reply.body is not None:
            self._sets.wrote(reply.body)

    def _resize(self, owner: Object, rollout: Rollout, steps: list[Resize]) -> None:
        annotations = _annotations(rollout)
        for one, replicas in steps:
            meta = one["metadata"]
            held = meta.get("annotations") or {}
            if size(one) == replicas and all(held.get(key) == value for key, value in annotations.items()):
                continue
            path = f"/apis/apps/v1/namespaces/{meta['namespace']}/replicasets/{meta['name']}"
            self._api.merge(path, {"metadata": {"annotations": annotations}, "spec": {"replicas": replicas}})
            self._sets.wrote(one)

    def _write_status(self, owner: Object, rollout: Rollout) -> None:
        """calculateStatus, without conditions."""
        meta = owner["metadata"]

        def total(name: str, sets: list[Object]) -> int:
            return sum((one.get("status") or {}).get(name, 0) for one in sets)

        everything, available = rollout.all, total("availableReplicas", rollout.all)
        status = {
            "observedGeneration": meta.get("generation", 0),
            "replicas": total("replicas", everything),
            "updatedReplicas": total("replicas", [] if rollout.new is None else [rollout.new]),
            "readyReplicas": total("readyReplicas", everything),
            "availableReplicas": available,
            "unavailableReplicas": max(0, sum(map(size, everything)) - available),
            "terminatingReplicas": total("terminatingReplicas", everything),
        }
        path = f"/apis/apps/v1/namespaces/{meta['namespace']}/deployments/{meta['name']}"
        write_status(self._api, path, owner, status)


def _annotations(rollout: Rollout) -> dict[str, str]:
    """SetReplicasAnnotations: the size of the Deployment for which a ReplicaSet was scaled."""
    return {DESIRED: str(rollout.replicas), MAXIMUM: str(rollout.maximum)}
