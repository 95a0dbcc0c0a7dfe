"""The node image that a cluster gets if none is named: ours if Docker has it, else kind's own default.

Ours is built by `tools/node_image`, which is in the repository and not in the distribution.
"""

from __future__ import annotations

from lockstep.clusters.kind.docker import image_label

#: The label of an image of ours; its value names the recipe and the versions.
RECIPE = "io.lockstep.recipe"
#: The newest release of Kubernetes with a node image.
NEWEST = "1.36.3"


def default_tag(kubernetes: str) -> str:
    """The tag of our node image of a release."""
    return f"lockstep/node:v{kubernetes}"


def own_image() -> str:
    """The tag of our newest node image, or "" if Docker does not have it. Raises KindFailed."""
    tag = default_tag(NEWEST)
    return tag if image_label(tag, RECIPE) else ""
