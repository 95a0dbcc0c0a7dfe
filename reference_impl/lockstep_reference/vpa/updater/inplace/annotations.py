"""The annotations that a resize changes.

Upstream: pkg/updater/inplace/inplace_updated.go, unboost_patch_calculator.go.
"""

from __future__ import annotations

from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.updater.inplace.calculator import POD
from lockstep_reference.vpa.utils.annotations import IN_PLACE_UPDATED, in_place_updated_value
from lockstep_reference.vpa.utils.patches import PatchRecord, add_annotation, remove_annotation
from lockstep_reference.vpa.utils.vpa.startup_boost import get_expired_startup_cpu_boost_annotations


class InPlaceUpdatedCalculator:
    """Marks the pod as one that VPA has resized (NewInPlaceUpdatedCalculator)."""

    target = POD

    def calculate_patches(self, _pod: Object, _vpa: Object) -> list[PatchRecord]:
        """See PatchCalculator."""
        return [add_annotation(IN_PLACE_UPDATED, in_place_updated_value())]


class UnboostAnnotationCalculator:
    """Removes the annotations of boosts that are over (NewUnboostAnnotationCalculator)."""

    target = POD

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """See PatchCalculator."""
        expired = get_expired_startup_cpu_boost_annotations(pod, vpa, self._clock.now())
        return [remove_annotation(name) for name in expired]
