"""Specs that the API server refuses, sent the way a user would send them."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep import ApiFailure, Cluster
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.demand import demanded
from lockstep_conformance.hpa.steps import HPAS, counts, scales

INVALID = 'HorizontalPodAutoscaler.autoscaling "web" is invalid: '
#: The validation errors of one or several fields.
Table = Mapping[str, tuple[Object, str]]


async def are_refused(cluster: Cluster, table: Table, code: int = 422, prefix: str = INVALID) -> None:
    """Send each spec of the table as an edit of `web`, which is valid, and as a new HPA `new`."""
    await demanded(cluster, (0, 2), (100, 4), replicas=2)
    working = cluster.get(HPAS, "web")["spec"]
    for what, (changes, message) in table.items():
        spec = _changed(working, changes)
        edit = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
        answers = [
            await _answer(cluster, "update", {**edit, "spec": spec}),
            await _answer(cluster, "create", {**edit, "metadata": {"name": "new"}, "spec": spec}),
        ]
        wanted = [(code, f"{prefix}{message}"), (code, f"{prefix}{message}".replace('"web" is', '"new" is'))]
        cluster.expect(what, answers, wanted)
    cluster.expect("HPAs", [one["metadata"]["name"] for one in cluster.list(HPAS)], ["web"])
    await cluster.run_until(130)
    cluster.expect("the one that works", scales(cluster), [(105.0, 4)])
    cluster.expect("replicas, desired", counts(cluster), (4, 4))


def _changed(spec: Object, changes: Object) -> Object:
    return {name: value for name, value in {**spec, **changes}.items() if value is not None}


async def _answer(cluster: Cluster, verb: str, hpa: Object) -> tuple[int, str]:
    try:
        await (cluster.create(hpa) if verb == "create" else cluster.update(hpa))
    except ApiFailure as refused:
        return refused.code, str(refused.status["message"])
    return 200, ""


def several(*findings: str) -> str:
    """How the API server puts several errors into one message."""
    return f"[{', '.join(findings)}]"
