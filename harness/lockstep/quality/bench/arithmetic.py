"""How fast the oracle answers."""

from __future__ import annotations

import random

from lockstep.implementations.upstream.oracle import Oracle, build_oracle
from lockstep.quality.bench.figures import Figure, at_least
from lockstep.quality.bench.sides import Sides
from lockstep.quality.oracle.topics import TOPICS

_BATCH = 1000
_ROUNDS = 20
#: Topics with questions of one step. In the others a question has a dozen steps or more.
_SINGLE = ("elementary", "buckets", "amounts")
_TARGET = 100_000


def questions(sides: Sides) -> list[Figure]:
    """Questions that the real packages answer per second of one processor, parsing and printing included."""
    with Oracle(build_oracle(progress=sides.progress)) as oracle:
        return [_rate(oracle, topic) for topic in TOPICS]


def _rate(oracle: Oracle, topic: str) -> Figure:
    rng = random.Random(topic)
    batch = [TOPICS[topic](rng) for _ in range(_BATCH)]
    times = []
    for _ in range(_ROUNDS):
        oracle.send(topic, batch)
        times.append(oracle.receive()[1])
    target = at_least(_TARGET) if topic in _SINGLE else None
    return Figure(f"oracle, {topic}", _BATCH / min(times), "questions/s", target)
