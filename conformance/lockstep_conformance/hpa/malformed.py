"""Answers of metrics APIs that make no sense, shown to an HPA one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep import Cluster
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.steps import condition

Edit = Callable[[Any], Any]

UNABLE = "the HPA was unable to compute the replica count: "
#: What some adapters send with a code of 200.
FAILURE: Object = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "reason": "NotFound",
    "message": "the server could not find the metric",
    "code": 404,
}
#: Nor JSON, nor YAML that says more than a text.
PROSE = "service unavailable"


def answer(other: Any) -> Edit:
    """Another answer altogether."""
    return lambda _: other


def each_item(**fields: Any) -> Edit:
    """Other values for fields of all items; None takes a field out."""

    def edit(document: Any) -> Any:
        items = [_changed(item, fields) for item in document["items"]]
        return {**document, "items": items}

    return edit


def _changed(item: Object, fields: Mapping[str, Any]) -> Object:
    return {name: value for name, value in {**item, **fields}.items() if value is not None}


def failure(cluster: Cluster, name: str = "web") -> str:
    """Why an HPA cannot scale, without the words that all such messages begin with; "" if it can."""
    found = condition(cluster, "ScalingActive", name)
    return "" if found is None or found[0] == "True" else found[2].removeprefix(UNABLE)


async def show(cluster: Cluster, group: str, table: Mapping[str, tuple[Edit, str]]) -> None:
    """Garble the answers of an API group for one sync after the other, and compare what the HPA says about it.

    After each of them comes a sync with a good answer, so that a controller that died over it is found out.
    """
    await cluster.run_until(40)
    for what, (edit, wanted) in table.items():
        bad = cluster.metrics.garble(group, edit)
        await cluster.run(15)
        cluster.expect(f"with {what}", failure(cluster), wanted)
        bad.stop()
        await cluster.run(15)
        cluster.expect(f"after {what}", failure(cluster), "")
