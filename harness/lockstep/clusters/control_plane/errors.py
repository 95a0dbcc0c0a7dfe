"""Errors of real processes. Every message is for the user: what happened, why, and what to do next."""

from __future__ import annotations


class ControlPlaneFailed(Exception):
    """The control plane cannot be started, or refuses a request."""


class ControlPlaneDied(ControlPlaneFailed):
    """A process of a running control plane ended by itself, or was killed from outside."""
