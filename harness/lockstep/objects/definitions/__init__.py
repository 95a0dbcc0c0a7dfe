"""CustomResourceDefinitions that a cluster gets if the controllers under test need them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lockstep.objects.definitions.vpa import CHECKPOINTS, VPAS, checkpoint_definition, vpa_definition

__all__ = ["CHECKPOINTS", "VPAS", "checkpoint_definition", "definitions_for", "vpa_definition"]

_VPA = "vpa-"


def definitions_for(controllers: Iterable[str]) -> list[dict[str, Any]]:
    """The definitions that these controllers need, in upstream's order."""
    if any(name.startswith(_VPA) for name in controllers):
        return [checkpoint_definition(), vpa_definition()]
    return []
