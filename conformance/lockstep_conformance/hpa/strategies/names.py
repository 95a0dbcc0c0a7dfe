"""Names in generated plans: few, so that the parts of a plan refer to each other; and cheap ways to choose."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from hypothesis import strategies as st

WORKLOADS = ("ant", "bee", "cat")
#: Labels of each workload: those of the first are a subset of the last's, so one selector includes the other.
LABELS = {"ant": {"app": "ant"}, "bee": {"app": "bee"}, "cat": {"app": "ant", "tier": "one"}}
#: Autoscalers with the name of a workload, and one more.
HPAS = (*WORKLOADS, "dog")
CONTAINERS = ("app", "side")
POD_METRICS = ("rps", "lag")
#: Described objects by resource.
OBJECTS = {
    "services": {"kind": "Service", "name": "web", "apiVersion": "v1"},
    "replicasets.apps": {"kind": "ReplicaSet", "name": "ant", "apiVersion": "apps/v1"},
    "namespaces": {"kind": "Namespace", "name": "default", "apiVersion": "v1"},
}
OBJECT_METRIC = "hits"
EXTERNAL_METRICS = ("queue", "depth")
#: Labels of series.
SERIES: tuple[dict[str, str], ...] = ({}, {"shard": "a"}, {"shard": "b"})
API_GROUPS = ("metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io")

Json = st.SearchStrategy[Any]
Dicts = st.SearchStrategy[dict[str, Any]]
#: In a table of choices for `any_of`: leave the field out.
LEFT_OUT = object()

workload = st.sampled_from(WORKLOADS)
hpa = st.sampled_from(HPAS)


def any_of(**choices: Iterable[Any]) -> Dicts:
    """A dict with one of the choices for each field: a single draw, whatever the number of fields."""
    combinations = product(*([(name, one) for one in values] for name, values in choices.items()))
    return st.sampled_from([{name: one for name, one in fields if one is not LEFT_OUT} for fields in combinations])


def merged(*parts: Dicts) -> Dicts:
    """One dict of several."""
    return st.tuples(*parts).map(lambda drawn: {name: value for part in drawn for name, value in part.items()})


def weighted(*choices: tuple[int, Json]) -> Json:
    """One of the strategies, each with its weight. (`st.one_of` flattens what is nested, and so changes weights.)"""
    table = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.integers(0, len(table) - 1).flatmap(table.__getitem__)


def rarely(often: Json, seldom: Json, one_in: int) -> Json:
    """`seldom` in one of so many cases."""
    return weighted((one_in - 1, often), (1, seldom))
