"""A real kind cluster, of a node image that `tools/node_image` built or of any other, through pytest-kind."""

from __future__ import annotations

from lockstep.errors import LockstepError


class KindFailed(LockstepError):
    """A node image cannot be built, or a cluster cannot be started. The message, one line, says what is missing."""
