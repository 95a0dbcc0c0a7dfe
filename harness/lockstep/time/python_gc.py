"""Keeping Python's cyclic garbage collector out of runs.

Reference counting frees nearly all garbage of a run; little of it is in cycles (tasks that hold their own exceptions,
for example). Most of its memory is the history, which it keeps anyway. The cyclic collector would search that history
again and again and find nothing, for up to a third of the run's time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: Net new containers between two collections of the youngest generation: those of some fifty runs. Python's own: 700.
_DURING_RUNS = 300_000


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Let the cyclic collector run rarely inside the block. Soon after the block it collects what was left.

    Blocks may be nested: code that makes many runs opens one block around all of them, and none is collected in
    between.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _DURING_RUNS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
