"""A small Prometheus for the VPA recommender, which reads history from before its start.

It answers selectors, with or without a range, and `rate` over a range, as a Prometheus 2 does. Any other query is an
error that says so. Scenarios use the class `Prometheus`.
"""

from __future__ import annotations

from lockstep.prometheus.prometheus import Asked, Prometheus
from lockstep.prometheus.series import Series

__all__ = ["Asked", "Prometheus", "Series"]
