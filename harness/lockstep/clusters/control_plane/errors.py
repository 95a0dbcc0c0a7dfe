"""Errors of real processes. Every message is for the user: what happened, why, and what to do next."""

from __future__ import annotations

from lockstep.errors import LockstepError


class ControlPlaneFailed(LockstepError):
    """The control plane cannot be started, or refuses what was asked of it."""


class ControlPlaneDied(ControlPlaneFailed):
    """A process of a running control plane ended by itself, or was killed from outside."""
