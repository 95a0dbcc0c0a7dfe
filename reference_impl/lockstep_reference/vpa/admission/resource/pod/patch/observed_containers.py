"""The annotation that lists the containers which the VPA knew (pkg/.../pod/patch/observed_containers.go).

What another webhook adds later is not in it, and is not what an eviction could change.
"""

from __future__ import annotations

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.annotations import OBSERVED_CONTAINERS, observed_containers_value
from lockstep_reference.vpa.utils.patches import PatchRecord, add_annotation


class ObservedContainers:
    """See the module (NewObservedContainersCalculator)."""

    def calculate_patches(self, pod: Object, _vpa: Object) -> list[PatchRecord]:
        """See Calculator."""
        return [add_annotation(OBSERVED_CONTAINERS, observed_containers_value(pod))]
