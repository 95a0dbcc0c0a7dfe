"""The topics of the oracle: how to draw a question of each."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from lockstep.quality.oracle.questions import (
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

#: From a random generator to one question, as JSON; each has a file of its name in
#: `implementations/upstream/go/oracle`.
Draw = Callable[[random.Random], Any]

TOPICS: Mapping[str, Draw] = {
    "elementary": elementary.draw,
    "buckets": histograms.draw_bucket,
    "histogram": histograms.draw,
    "container": containers.draw,
    "amounts": amounts.draw,
    "recommendation": recommendations.draw,
    "cluster": clusters.draw,
    "capping": capping.draw,
    "limits": capping.draw_limits,
    "limitrange": capping.draw_limit_ranges,
    "priority": priority.draw,
    "restriction": restriction.draw,
    "resize": resize.draw,
}
