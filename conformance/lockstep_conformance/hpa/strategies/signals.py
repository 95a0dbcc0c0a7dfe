"""Strategies for metrics: curves, loads, exact tables, series of custom and external metrics."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lockstep_conformance.hpa.strategies.names import (
    CONTAINERS,
    EXTERNAL_METRICS,
    LABELS,
    LEFT_OUT,
    OBJECT_METRIC,
    OBJECTS,
    POD_METRICS,
    SERIES,
    Dicts,
    Json,
    any_of,
    merged,
    rarely,
    weighted,
)

#: Quantities that no load model gives.
ODD_QUANTITIES = ("0", "-1", "1n", "999u", "1e3", "1E", "7Ei", "9223372036854775807", "18446744073709551615", "-5k")
_PARTS = (0.05, 0.2, 0.9)
_SEEDS = (0, 1, 2)


def _curve(amounts: tuple[float, ...]) -> Json:
    """Curves of all kinds between some amounts."""
    amount = st.sampled_from(amounts)
    later = st.tuples(st.sampled_from((15, 40, 90, 150, 300)), amount)
    steps = st.tuples(amount, st.lists(later, min_size=1, max_size=3, unique_by=lambda point: point[0]))
    base = weighted(
        (2, amount),
        (3, steps.map(lambda drawn: {"curve": "steps", "points": [[0, drawn[0]], *map(list, sorted(drawn[1]))]})),
        (1, any_of(curve=["ramp"], start=(15, 40), end=(90, 240), low=amounts, high=amounts)),
        (1, any_of(curve=["wave"], period=(60, 240), low=amounts, high=amounts)),
    )
    noise = any_of(curve=["noisy"], part=_PARTS, seed=_SEEDS)
    return rarely(base, st.tuples(noise, base).map(lambda drawn: {**drawn[0], "base": drawn[1]}), 4)


def _usage(curve: Json) -> Dicts:
    """A curve and its distribution over pods."""
    noise = {"noise": (*[LEFT_OUT] * 6, *_PARTS), "seed": _SEEDS}
    shared = any_of(how=["shared"], idle=(LEFT_OUT, 0.01, 0.3), at_most=(LEFT_OUT, 0.5, 1.0), **noise)
    how = weighted((3, shared), (1, any_of(how=["each"], **noise)))
    return st.tuples(how, curve).map(lambda drawn: {**drawn[0], "of": drawn[1]})


_CORES = _usage(_curve((0.0, 0.1, 0.25, 0.4, 0.55, 0.9, 1.4, 2.0, 3.3, 5.0)))
_BYTES = _usage(_curve((0.0, 30e6, 64e6, 100e6, 150e6, 400e6)))
_COUNTS = _curve((0.0, 0.5, 1.0, 3.0, 9.0, 10.5, 25.0, 60.0))
_VALUE = rarely(_COUNTS, st.sampled_from(ODD_QUANTITIES), 6).map(lambda value: {"value": value})
_PODS = tuple(LABELS.values())
_SERIES = (LEFT_OUT, *SERIES)


def load_of(labels: dict[str, str]) -> Dicts:
    """The load of pods with these labels."""
    about = any_of(
        signal=["load"],
        pods=[labels],
        startup=(*[LEFT_OUT] * 4, [1.5, 60], [0.4, 200]),
        container=(*[LEFT_OUT] * 6, *CONTAINERS),
    )
    used = weighted(
        (3, _CORES.map(lambda cpu: {"cpu": cpu})),
        (2, st.tuples(_CORES, _BYTES).map(lambda drawn: {"cpu": drawn[0], "memory": drawn[1]})),
    )
    return merged(about, used)


def pods_metric(metric: str) -> Dicts:
    """A custom metric of pods."""
    about = any_of(
        signal=["pods"], metric=[metric], pods=_PODS, window=(LEFT_OUT, 10, 60), labels=(*[LEFT_OUT] * 5, *SERIES)
    )
    return st.tuples(about, _usage(_COUNTS)).map(lambda drawn: {**drawn[0], "usage": drawn[1]})


def object_metric(resource: str) -> Dicts:
    """A custom metric of an object."""
    name = OBJECTS[resource]["name"]
    about = any_of(signal=["object"], metric=[OBJECT_METRIC], resource=[resource], name=[name], labels=_SERIES)
    return merged(about, _VALUE)


def external_metric(metric: str) -> Dicts:
    """A series of an external metric."""
    return merged(any_of(signal=["external"], metric=[metric], labels=_SERIES), _VALUE)


def _table(amounts: tuple[str, ...], containers: tuple[str, ...], **about: Any) -> Dicts:
    """An exact table about a resource or a metric."""
    amount = st.sampled_from((*amounts, *amounts, *ODD_QUANTITIES[:6]))
    entry = amount
    if containers:
        entry = rarely(amount, st.dictionaries(st.sampled_from((*containers, "ghost")), amount, min_size=1), 3)
    timed = st.tuples(entry, any_of(age=(0, 20, 400), window=(LEFT_OUT, 0, 15, 120)))
    row = weighted((3, entry), (1, timed.map(lambda drawn: {"usage": drawn[0], **drawn[1]})), (1, st.none()))
    facts = any_of(signal=["table"], pods=_PODS, age=(LEFT_OUT, 0, 90), window=(LEFT_OUT, 0, 30), **about)
    rows = st.tuples(st.lists(row, max_size=5), row)
    return st.tuples(facts, rows).map(lambda drawn: {**drawn[0], "rows": drawn[1][0], "rest": drawn[1][1]})


LOADS = {name: load_of(labels) for name, labels in LABELS.items()}
POD_SERIES = {metric: pods_metric(metric) for metric in POD_METRICS}
OBJECT_SERIES = {resource: object_metric(resource) for resource in OBJECTS}
EXTERNAL_SERIES = {metric: external_metric(metric) for metric in EXTERNAL_METRICS}

_TABLE = weighted(
    (3, _table(("0", "100m", "250m", "499m", "500m", "1", "1500m"), CONTAINERS, resource=["cpu"])),
    (1, _table(("0", "30Mi", "64Mi", "128Mi", "300Mi"), CONTAINERS, resource=["memory"])),
    (2, _table(("0", "1", "9", "10", "11500m", "40"), (), metric=POD_METRICS)),
)
load = weighted(*((1, one) for one in LOADS.values()))
signal = weighted(
    (4, load),
    (3, _TABLE),
    (2, weighted(*((1, one) for one in POD_SERIES.values()))),
    (2, weighted(*((1, one) for one in OBJECT_SERIES.values()))),
    (2, weighted(*((1, one) for one in EXTERNAL_SERIES.values()))),
)

_SCRAPES = any_of(
    period=(5, 10, 15, 60),
    lag=(LEFT_OUT, LEFT_OUT, 1, 15),
    offset=(LEFT_OUT, 7.5),
    kubelet=(LEFT_OUT, 10),
    window=(LEFT_OUT, 10, 30),
)
rhythm = weighted((1, st.just({})), (3, st.just({"period": 0})), (2, _SCRAPES))
