"""Strategies for the specs of HPAs, in wire form. Some are invalid."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import strategies as st

from lockstep import objects
from lockstep_conformance.hpa.strategies.names import (
    CONTAINERS,
    EXTERNAL_METRICS,
    LEFT_OUT,
    OBJECT_METRIC,
    OBJECTS,
    POD_METRICS,
    SERIES,
    WORKLOADS,
    Json,
    any_of,
    merged,
    rarely,
    weighted,
)

_ODD = ("0", "-3", "1n", "3E", "9223372036854775807", "nonsense")
_PERCENTS = (50, 80, 30, 100, 150, 1)
_USAGES = {"cpu": ("500m", "250m", "100m", "1", "1m"), "memory": ("128Mi", "32Mi", "100M", "1")}
_AMOUNTS = ("10", "1", "3", "20", "500m")


def _often(usual: Any, odd: Any) -> tuple[Any, ...]:
    """A table in which about one entry in fifteen is odd."""
    usual, odd = list(usual), list(odd)
    return (*usual * max(1, 14 * len(odd) // len(usual)), *odd)


def _resource_targets(name: str) -> tuple[dict[str, Any], ...]:
    averages = _often(_USAGES[name], _ODD)
    percents = _PERCENTS * (len(averages) // len(_PERCENTS))
    return (*({"utilization": one} for one in percents), *({"average": one} for one in averages))


_VALUES = tuple({field: one} for field in ("value", "average") for one in _often(_AMOUNTS, _ODD))
_SELECTORS = (*[None] * 9, *SERIES)
_DESCRIBED = _often(OBJECTS.values(), [{"kind": "Teapot", "name": "web", "apiVersion": "example.com/v1"}])


def _metrics(make: Any, *tables: Any) -> Json:
    """A metric made of one entry of each table, the last of which is its target."""
    return st.tuples(*map(st.sampled_from, tables)).map(lambda drawn: make(*drawn[:-1], drawn[-1]))


_RESOURCE = {
    name: _metrics(objects_of, _resource_targets(name))
    for name, objects_of in (
        ("cpu", lambda target: objects.resource_metric("cpu", **target)),
        ("memory", lambda target: objects.resource_metric("memory", **target)),
    )
}
_CONTAINER = weighted(
    *(
        (
            weight,
            _metrics(
                lambda container, resource, target: objects.container_metric(container, resource, **target),
                (*CONTAINERS * 3, "ghost"),
                (name,),
                _resource_targets(name),
            ),
        )
        for name, weight in (("cpu", 2), ("memory", 1))
    )
)
_PODS = _metrics(
    lambda metric, labels, average: objects.pods_metric(metric, average, labels=labels),
    POD_METRICS,
    _SELECTORS,
    _often(_AMOUNTS, _ODD),
)
_OBJECT = _metrics(
    lambda described, labels, target: objects.object_metric(OBJECT_METRIC, described, labels=labels, **target),
    _DESCRIBED,
    _SELECTORS,
    _VALUES,
)
_EXTERNAL = _metrics(
    lambda metric, labels, target: objects.external_metric(metric, labels=labels, **target),
    EXTERNAL_METRICS,
    _SELECTORS,
    _VALUES,
)
from_outside = weighted((1, _OBJECT), (1, _EXTERNAL))
_METRIC = weighted(
    (5, _RESOURCE["cpu"]), (1, _RESOURCE["memory"]), (2, _CONTAINER), (2, _PODS), (2, _OBJECT), (2, _EXTERNAL)
)
metrics = weighted((3, _METRIC.map(lambda one: [one])), (1, st.lists(_METRIC, min_size=2, max_size=3)))

# -- behavior ----------------------------------------------------------------------------------------------------------

_PERIODS = (60, 15, 30, 1)
_POLICIES = (*product(("Pods",), (1, 2, 4), _PERIODS), *product(("Percent",), (100, 50, 10, 300), _PERIODS))
_RULES = any_of(
    stabilizationWindowSeconds=(LEFT_OUT, LEFT_OUT, 0, 0, 10, 15, 30, 60),
    selectPolicy=(LEFT_OUT, LEFT_OUT, LEFT_OUT, "Max", "Min", "Min", "Disabled"),
    tolerance=(*[LEFT_OUT] * 8, "0", "50m", "200m", "1"),
)
_RULE = st.tuples(st.lists(st.sampled_from(_POLICIES), max_size=3), _RULES).map(
    lambda drawn: {**objects.scaling(*drawn[0]), **drawn[1]}
)
behavior = weighted(
    (2, st.tuples(_RULE, _RULE).map(lambda drawn: {"scaleUp": drawn[0], "scaleDown": drawn[1]})),
    (1, _RULE.map(lambda rule: {"scaleDown": rule})),
    (1, _RULE.map(lambda rule: {"scaleUp": rule})),
)

# -- the whole ---------------------------------------------------------------------------------------------------------

TARGETS = tuple(objects.reference("ReplicaSet", name) for name in WORKLOADS)
_NO_TARGETS = (
    objects.reference("ReplicaSet", "nobody"),
    objects.reference("Teapot", "web", "example.com/v1"),
    objects.reference("ReplicaSet", "ant", "apps/v1beta9"),
    objects.reference("ReplicaSet", "ant", "a/b/c"),
    objects.reference("Service", "web", "v1"),
)
target = st.sampled_from((*TARGETS * 12, *_NO_TARGETS))
bounds = any_of(
    minReplicas=(*[LEFT_OUT] * 9, *[1] * 9, *[2] * 4, *[3] * 4, 0), maxReplicas=(*[8] * 4, *[12] * 6, *[5] * 3, 3, 1)
)
_BOUND = st.sampled_from([{field: one} for field in ("minReplicas", "maxReplicas") for one in (1, 2, 3, 6, 10, 0)])


def spec(targets: Json = target) -> Json:
    """A spec; `targets` are references."""
    return merged(
        targets.map(lambda drawn: {"scaleTargetRef": drawn}),
        bounds,
        rarely(metrics.map(lambda drawn: {"metrics": drawn}), st.just({}), 15),
        weighted((1, st.just({})), (1, behavior.map(lambda drawn: {"behavior": drawn}))),
    )


any_spec = spec()
edit = weighted(
    (3, _BOUND),
    (2, metrics.map(lambda drawn: {"metrics": drawn})),
    (2, behavior.map(lambda drawn: {"behavior": drawn})),
    (1, st.just({"behavior": None})),
    (1, target.map(lambda drawn: {"scaleTargetRef": drawn})),
)
