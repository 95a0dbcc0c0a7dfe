"""A small Prometheus, for what the VPA recommender asks of one: history from before its start.

It answers selectors, with or without a range, and `rate` over a range, as a Prometheus 2 does. Everything else is an
error that says so. `Prometheus` is what scenarios use.
"""

from __future__ import annotations

from lockstep.prometheus.prometheus import Asked, Prometheus
from lockstep.prometheus.series import Series

__all__ = ["Asked", "Prometheus", "Series"]
