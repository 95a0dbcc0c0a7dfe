"""How fast the harness is on this machine: figures with their targets, measured side by side inside one process.

On a shared machine single times mean little. So figures are ratios where possible (virtual time to real time, the
reference to upstream, large to small), and the runs of both sides take turns. A speed is that of the best run, which
other processes disturbed least; everything else is the median of its runs.
"""

from __future__ import annotations

from lockstep.quality.bench.figures import BenchFailed, Figure, at_least, at_most
from lockstep.quality.bench.measures import MEASURES, bench

__all__ = ["MEASURES", "BenchFailed", "Figure", "at_least", "at_most", "bench"]
