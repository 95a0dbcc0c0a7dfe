"""Buckets and histograms."""

from __future__ import annotations

from typing import Any

from lockstep.implementations.oracle.values import instant, number, time
from lockstep_reference.vpa.recommender.util.checkpoint import CheckpointError, HistogramCheckpoint
from lockstep_reference.vpa.recommender.util.decaying_histogram import DecayingHistogram
from lockstep_reference.vpa.recommender.util.histogram import Histogram
from lockstep_reference.vpa.recommender.util.histogram_options import (
    ExponentialHistogramOptions,
    HistogramOptions,
    LinearHistogramOptions,
)

_SCHEMES: dict[tuple[float, ...], HistogramOptions] = {}


def _options(scheme: Any) -> HistogramOptions:
    """The options of a scheme, made once: histograms that are merged must share them."""
    key = scheme["max"], scheme["first"], scheme["ratio"], scheme["epsilon"]
    options = _SCHEMES.get(key)
    if options is None:
        largest, first, ratio, epsilon = key
        options = (
            ExponentialHistogramOptions(largest, first, ratio, epsilon)
            if ratio
            else LinearHistogramOptions(largest, first, epsilon)
        )
        _SCHEMES[key] = options
    return options


def answer_bucket(question: Any) -> Any:
    """How many buckets there are, into which of them a value falls, and where that one begins."""
    options = _options(question["scheme"])
    bucket = options.find_bucket(question["value"])
    return [options.num_buckets, bucket, number(options.get_bucket_start(bucket))]


def answer(question: Any) -> Any:
    """The results of the steps, the final state, and percentiles."""
    results: list[Any] = []
    made = _build(question, question["steps"], results)
    percentiles = [number(made.percentile(percentile)) for percentile in question["percentiles"]]
    return {"said": results, "state": state_of(made), "percentiles": percentiles}


def _build(question: Any, steps: Any, results: list[Any]) -> Histogram:
    options, half_life = _options(question["scheme"]), question["halfLife"]
    made = Histogram(options) if half_life is None else DecayingHistogram(options, half_life)
    for step in steps:
        _take(question, made, step, results)
    return made


def _take(question: Any, made: Histogram, step: Any, results: list[Any]) -> None:
    what = step["do"]
    if what == "add":
        made.add_sample(step["v"], step["w"], time(step["t"]))
    elif what == "subtract":
        made.subtract_sample(step["v"], step["w"], time(step["t"]))
    elif what == "merge":
        other = _build(question, step["other"], results)
        made.merge(other)
        results.append(state_of(other))
    elif what == "save":
        results.append(saved(made.save_to_checkpoint()))
    else:
        wire = step["checkpoint"]
        weights = {int(bucket): share for bucket, share in wire["weights"].items()}
        try:
            made.load_from_checkpoint(HistogramCheckpoint(weights, wire["total"], time(wire["reference"])))
        except CheckpointError as error:
            results.append(str(error))


def saved(checkpoint: HistogramCheckpoint) -> Any:
    """A checkpoint as a JSON value."""
    return {
        "weights": {str(bucket): share for bucket, share in checkpoint.bucket_weights.items()},
        "total": number(checkpoint.total_weight),
        "reference": instant(checkpoint.reference_timestamp),
    }


def state_of(histogram: Histogram) -> Any:
    """The whole state of a histogram."""
    filled = [bucket for bucket, weight in enumerate(histogram.bucket_weight) if weight]
    reference = histogram.reference_timestamp if isinstance(histogram, DecayingHistogram) else time(None)
    return {
        "min": histogram.min_bucket,
        "max": histogram.max_bucket,
        "total": number(histogram.total_weight),
        "reference": instant(reference),
        "buckets": filled,
        "weights": [number(histogram.bucket_weight[bucket]) for bucket in filled],
    }
