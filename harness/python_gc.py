"""Keeping Python's cyclic garbage collector out of runs.

A run leaves its garbage to reference counting: what it makes in cycles (tasks that hold their own exceptions, say) is
little, and its memory is the history that it keeps anyway. The cyclic collector would go through that history again and
again and find nothing, at up to a third of the run's time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: Net new containers between two collections of the youngest generation. Python's own value is 700.
_DURING_A_RUN = 1_000_000


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Let the cyclic collector run rarely inside the block; afterwards it soon meets what the run left behind."""
    before = gc.get_threshold()
    gc.set_threshold(_DURING_A_RUN, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
