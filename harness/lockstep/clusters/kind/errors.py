"""What can go wrong with kind; every message is for the user: what happened, why, and what to do next."""

from __future__ import annotations


class KindFailed(Exception):
    """A node image cannot be built, or a cluster cannot be started; one line says what is missing."""
