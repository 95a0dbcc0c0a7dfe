"""Instants as periodic runs: short, and equal for equal instants.

Most syncs are periodic, so a trace keeps their instants, in seconds, as runs of equal distances:

    [["15.100", "15.000", 40], ["700.250"]]

is 40 instants, the first at 15.1 s and one every 15 s after it, and another one at 700.25 s. Where several fall on the
same instant, the second ones make runs of their own, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lockstep.trace.symbols import clock_text

Runs = list[list[Any]]
_SHORTEST = 3  # instants at equal distances that are worth a run


def fold(times: Sequence[int]) -> Runs:
    """Instants in milliseconds, in order, as runs."""
    runs: Runs = []
    counts = Counter(times)
    layer = sorted(counts)
    depth = 1
    while layer:
        runs += _fold(layer)
        depth += 1
        layer = [at for at in layer if counts[at] >= depth]
    return runs


def _fold(times: list[int]) -> Iterator[list[Any]]:
    """Runs of instants that are all different."""
    first = 0
    while first < len(times):
        after = first + 1
        if after < len(times):
            step = times[after] - times[first]
            while after < len(times) and times[after] - times[after - 1] == step:
                after += 1
        if after - first >= _SHORTEST:
            yield [clock_text(times[first]), clock_text(times[first + 1] - times[first]), after - first]
            first = after
        else:
            yield [clock_text(times[first])]
            first += 1


def unfold(runs: Iterable[Sequence[Any]]) -> list[int]:
    """The instants of runs in milliseconds, in order. Raises ValueError if the data are not runs."""
    times: list[int] = []
    try:
        for run in runs:
            first, step, number = run if len(run) != 1 else (*run, "0", 1)
            times += [_milliseconds(first) + index * _milliseconds(step) for index in range(number)]
    except (TypeError, ValueError, AttributeError):
        raise ValueError(f"{runs!r} are not runs of reads") from None
    return sorted(times)


def count(reads: Mapping[str, Iterable[Sequence[Any]]]) -> int:
    """How many reads there are."""
    return sum(1 if len(run) == 1 else int(run[2]) for runs in reads.values() for run in runs)


def _milliseconds(text: str) -> int:
    whole, _, fraction = text.lstrip("-").partition(".")
    size = int(whole) * 1000 + int(fraction.ljust(3, "0"))
    return -size if text.startswith("-") else size
