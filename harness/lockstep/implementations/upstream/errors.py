"""Errors of upstream. Every message is for the user: what happened, why, and what to do next."""

from __future__ import annotations

from lockstep.errors import LockstepError


class BuildFailed(LockstepError):
    """The upstream process cannot be built."""


class UpstreamFailed(LockstepError):
    """The upstream process died, hung, spoke nonsense, or a controller in it ended by itself."""


class RunRefused(UpstreamFailed):
    """The process is fine but cannot begin this run: the scenario needs what this release does not have."""
