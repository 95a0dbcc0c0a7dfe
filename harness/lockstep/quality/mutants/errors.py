"""What can go wrong with mutants; the message is one line for the user."""

from __future__ import annotations


class MutantError(Exception):
    """The list of mutants, or one of them, is no good, or cannot be run."""
