"""What can go wrong with the fidelity suite itself, in one line for the user."""

from __future__ import annotations


class FidelityError(Exception):
    """The suite cannot run as asked, or a scenario is not what it should be; the message says what to do."""
