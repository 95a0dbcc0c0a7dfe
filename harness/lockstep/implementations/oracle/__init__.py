"""The reference's answers to the oracle's questions, by topic: see `lockstep.quality.oracle`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.implementations.oracle import (
    amounts,
    capping,
    clusters,
    containers,
    elementary,
    histograms,
    priority,
    recommendations,
    resize,
    restriction,
)
from lockstep_reference.vpa.utils.panic import Panic

_ANSWERS: Mapping[str, Callable[[Any], Any]] = {
    "elementary": elementary.answer,
    "buckets": histograms.answer_bucket,
    "histogram": histograms.answer,
    "container": containers.answer,
    "amounts": amounts.answer,
    "recommendation": recommendations.answer,
    "cluster": clusters.answer,
    "capping": capping.answer,
    "limits": capping.answer_limits,
    "limitrange": capping.answer_limit_ranges,
    "priority": priority.answer,
    "restriction": restriction.answer,
    "resize": resize.answer,
}


def answering(topic: str) -> Callable[[Any], Any]:
    """The function that answers questions of a topic, with answers as JSON values."""
    answer = _ANSWERS[topic]

    def guarded(question: Any) -> Any:
        try:
            return answer(question)
        except (Panic, ValueError) as error:  # where upstream panics
            return {"panic": str(error)}

    return guarded
