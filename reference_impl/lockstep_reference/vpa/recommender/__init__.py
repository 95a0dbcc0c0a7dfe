"""The recommender: how much each container should request (pkg/recommender).

`run` starts it with everything it needs. `routines` has the loop, `input` reads the state of the cluster, `model` holds
it, `util` has the histograms, `logic` computes recommendations, `checkpoint` stores the history.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from lockstep_reference.machinery.transport import Clock, Transport
from lockstep_reference.vpa.recommender.config import RecommenderConfig
from lockstep_reference.vpa.recommender.routines.recommender_controller import RecommenderController

__all__ = ["run"]


async def run(
    transport: Transport,
    clock: Clock,
    *,
    feature_gates: Mapping[str, bool] | None = None,
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
    **flags: Any,
) -> None:
    """Run the recommender against one API server until cancelled. Cancelling is a crash: nothing more is written.

    `flags` are the fields of RecommenderConfig, `feature_gates` those that differ from their default. `rng` gives
    jitter; the default is seeded with 0. `on_error` receives what upstream logs as an error. Raises TypeError for an
    unknown flag, and InvalidDuration for history flags that upstream would exit on.
    """
    controller = RecommenderController(
        transport,
        clock,
        RecommenderConfig(**flags),
        feature_gates or {},
        rng or random.Random(0),
        on_error or (lambda _message: None),
    )
    await controller.run()
