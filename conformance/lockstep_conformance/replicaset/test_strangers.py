"""Strangers: pods whose controller reference is nearly the ReplicaSet's are none of the creates that it waits for."""

from __future__ import annotations

from typing import Any

from lockstep import Cluster, Fault, objects, scenario
from lockstep.network.faults import status_object
from lockstep_conformance.replicaset.steps import by_instant, touch

_CAUSE = {"reason": "NamespaceTerminating", "message": "namespace default is being terminated", "field": ""}


def _controlled(name: str, reference: dict[str, Any]) -> dict[str, Any]:
    return objects.pod(name, objects.labels_of("web"), metadata={"ownerReferences": [reference]})


@scenario(
    "replicaset/strangers-are-no-expected-creates",
    must="While a create is still to be observed, a pod that another kind or another uid of the ReplicaSet's name "
    "controls MUST NOT count as that create.",
    source=(
        "pkg/controller/replicaset/replica_set.go: resolveControllerRef",
        "pkg/controller/replicaset/replica_set.go: addPod",
    ),
    features=("expectations", "owners"),
)
async def test_strangers_are_no_expected_creates(cluster: Cluster) -> None:
    cluster.garbage_collector.enabled = False
    # Refused like this, a create counts as successful, and no pod will ever be observed.
    refusal = {**status_object(403, "forbidden for now"), "details": {"causes": [_CAUSE]}}
    fault = cluster.faults.add(Fault(verb="create", resource="pods", times=None, status=refusal))
    web = await cluster.create(objects.replica_set("web", 1))
    reference = objects.controller_reference(web)
    await cluster.run_until(60)
    await cluster.create(_controlled("other-uid", {**reference, "uid": "11111111-2222-4333-8444-555555555555"}))
    await cluster.run_until(120)
    await cluster.create(_controlled("other-kind", {**reference, "kind": "StatefulSet"}))
    await cluster.run_until(180)
    await touch(cluster, "web")
    cluster.expect("refused creates by instant", by_instant(cluster, "create"), {0.0: 1})
    fault.stop()
    await cluster.run_until(301)
    await touch(cluster, "web")
    cluster.expect("creates by instant", by_instant(cluster, "create"), {0.0: 1, 301.0: 1})
    cluster.expect("status.replicas", cluster.status()["replicas"], 1)
