"""The metrics in a plan: curves, loads, tables, custom and external series, all from JSON.

A curve is a number or a quantity, or a dict whose `curve` names its kind. A usage adds how it is distributed over pods.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lockstep import metrics
from lockstep.metrics import Curve
from lockstep_conformance.plans.playing import Step
from lockstep_conformance.plans.stage import Ends, Stage

Json = dict[str, Any]


def curve(data: Any) -> Curve:
    """A curve. Raises KeyError for an unknown kind, MetricsError for numbers that do not make a curve."""
    if not isinstance(data, dict):
        return metrics.constant(data)
    return _CURVES[data["curve"]](data)


def _steps(data: Json) -> Curve:
    return metrics.steps(*((time, value) for time, value in data["points"]))


def _ramp(data: Json) -> Curve:
    return metrics.ramp(data["start"], data["end"], data["low"], data["high"])


def _wave(data: Json) -> Curve:
    """A daily curve, compressed into `period` seconds."""
    mean, swing = (data["low"] + data["high"]) / 2, (data["high"] - data["low"]) / 2
    return Curve(lambda time: mean + swing * math.sin(time / data["period"] * math.tau))


def _noisy(data: Json) -> Curve:
    return metrics.noisy(curve(data["base"]), data["part"], seed=data["seed"])


_CURVES = {"steps": _steps, "ramp": _ramp, "wave": _wave, "noisy": _noisy}


def usage(data: Json) -> Any:
    """What pods use: the curve `of`, `shared` by them or for `each`, with the keyword arguments of these."""
    options = {name: value for name, value in data.items() if name not in ("how", "of")}
    makers: dict[str, Callable[..., Any]] = {"shared": metrics.shared, "each": metrics.each}
    return makers[data["how"]](curve(data["of"]), **options)


# -- signals -----------------------------------------------------------------------------------------------------------


def _load(stage: Stage, data: Json) -> Ends:
    startup = metrics.spike(*data["startup"]) if "startup" in data else None
    used = {resource: usage(data[resource]) for resource in ("cpu", "memory") if resource in data}
    return stage.cluster.metrics.load(data["pods"], startup=startup, container=data.get("container"), **used)


def _table(stage: Stage, data: Json) -> Ends:
    rows = [metrics.row(**one) if isinstance(one, dict) and "usage" in one else one for one in data["rows"]]
    options = {name: data[name] for name in ("resource", "metric", "rest", "age", "window") if name in data}
    return stage.cluster.metrics.exact(data["pods"], rows, **options)


def _pods(stage: Stage, data: Json) -> Ends:
    return stage.cluster.metrics.pods(data["metric"], data["pods"], usage(data["usage"]), **_labelled(data))


def _object(stage: Stage, data: Json) -> Ends:
    return stage.cluster.metrics.object(data["metric"], data["resource"], data["name"], _value(data), **_labelled(data))


def _external(stage: Stage, data: Json) -> Ends:
    return stage.cluster.metrics.external(data["metric"], _value(data), **_labelled(data))


def _labelled(data: Json) -> Json:
    return {name: data[name] for name in ("labels", "window") if name in data}


def _value(data: Json) -> Any:
    """Text appears in answers unchanged."""
    return data["value"] if isinstance(data["value"], str) else curve(data["value"])


_SIGNALS = {"load": _load, "table": _table, "pods": _pods, "object": _object, "external": _external}


async def begin_signal(stage: Stage, step: Step) -> None:
    """Add a series or a load from now on."""
    signal = step["signal"]
    stage.signals.append(_SIGNALS[signal["signal"]](stage, signal))


async def end_signal(stage: Stage, step: Step) -> None:
    """Remove one of those that were added."""
    if stage.signals:
        stage.signals[step["index"] % len(stage.signals)].stop()


async def scrape(stage: Stage, step: Step) -> None:
    """Change the interval of measurements."""
    stage.cluster.metrics.scrape(**step["rhythm"])
