"""Owners that have something to do later."""

from __future__ import annotations

from collections.abc import Callable

from lockstep.world.api import Object

#: Whether an instant has come; if not, the owner is looked at again when it has. Nobody waits for that.
Wake = Callable[[Object, int], bool]
