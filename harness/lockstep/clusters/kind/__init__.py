"""Real kind clusters: building their node image from package registries alone, starting and deleting them.

`image/` makes the node image; everything in that folder counts as its recipe. `cluster.py` runs a cluster of it, or of
any other node image, through pytest-kind.
"""

from __future__ import annotations


class KindFailed(Exception):
    """A node image cannot be built, or a cluster cannot be started. The message, one line, says what is missing."""
