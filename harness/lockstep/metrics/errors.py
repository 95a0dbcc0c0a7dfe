"""What is wrong with what a scenario says about metrics."""

from __future__ import annotations


class MetricsError(ValueError):
    """The message says what is wrong, where, and what to do about it."""
