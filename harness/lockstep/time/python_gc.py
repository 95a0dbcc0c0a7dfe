"""Keeping Python's cyclic garbage collector out of runs.

A run leaves its garbage to reference counting: what it makes in cycles (tasks that hold their own exceptions, say) is
little, and its memory is the history that it keeps anyway. The cyclic collector would go through that history again and
again and find nothing, at up to a third of the run's time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: Net new containers between two collections of the youngest generation: those of some fifty runs. Python's own: 700.
_DURING_RUNS = 300_000


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Let the cyclic collector run rarely inside the block; afterwards it soon meets what was left behind.

    Blocks may be nested: whoever makes many runs opens one around them all, and pays for no collection in between.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _DURING_RUNS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
