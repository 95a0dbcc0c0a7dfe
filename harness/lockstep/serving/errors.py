"""What ends `lockstep serve` before it begins."""

from __future__ import annotations


class ServeError(Exception):
    """What was asked for cannot be served; the message is one line for the user."""
