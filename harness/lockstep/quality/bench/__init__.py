"""How fast the harness is on this machine: figures with their targets, measured side by side inside one process.

A machine that others share makes single times worthless. So what can be a ratio is one (virtual time to real time, the
reference to upstream, large to small), and the runs of both sides take turns. Speeds are those of the best run, which
others disturbed least; everything else is the median of its runs.
"""

from __future__ import annotations

from lockstep.quality.bench.figures import BenchFailed, Figure, at_least, at_most
from lockstep.quality.bench.measures import MEASURES, bench

__all__ = ["MEASURES", "BenchFailed", "Figure", "at_least", "at_most", "bench"]
