"""Malformed answers of metrics APIs, given to an HPA one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep import Cluster
from lockstep.scenarios.cluster import Object
from lockstep_conformance.hpa.steps import condition

Edit = Callable[[Any], Any]

UNABLE = "the HPA was unable to compute the replica count: "
#: What some adapters return with code 200.
FAILURE: Object = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "reason": "NotFound",
    "message": "the server could not find the metric",
    "code": 404,
}
#: Neither JSON, nor YAML other than a string.
PROSE = "service unavailable"


def answer(other: Any) -> Edit:
    """Replace the whole answer."""
    return lambda _: other


def each_item(**fields: Any) -> Edit:
    """Other values for fields of all items; None removes a field."""

    def edit(document: Any) -> Any:
        items = [_changed(item, fields) for item in document["items"]]
        return {**document, "items": items}

    return edit


def _changed(item: Object, fields: Mapping[str, Any]) -> Object:
    return {name: value for name, value in {**item, **fields}.items() if value is not None}


def failure(cluster: Cluster, name: str = "web") -> str:
    """Why an HPA cannot scale, without the common start of such messages; "" if it can."""
    found = condition(cluster, "ScalingActive", name)
    return "" if found is None or found[0] == "True" else found[2].removeprefix(UNABLE)


async def show(cluster: Cluster, group: str, table: Mapping[str, tuple[Edit, str]]) -> None:
    """Garble the answers of an API group in one sync after the other, and compare what the HPA reports.

    After each of them comes a sync with a good answer, which shows whether the controller survived.
    """
    await cluster.run_until(40)
    for what, (edit, wanted) in table.items():
        bad = cluster.metrics.garble(group, edit)
        await cluster.run(15)
        cluster.expect(f"with {what}", failure(cluster), wanted)
        bad.stop()
        await cluster.run(15)
        cluster.expect(f"after {what}", failure(cluster), "")
