"""Reasons to change a pod (pkg/admission-controller/resource/pod/patch: calculator.go, observed_containers.go)."""

from __future__ import annotations

from typing import Protocol

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.annotations import OBSERVED_CONTAINERS, observed_containers_value
from lockstep_reference.vpa.utils.patches import PatchRecord, add_annotation


class CalculationError(Exception):
    """The patches cannot be computed; `str()` is upstream's message."""


class Calculator(Protocol):
    """Computes patches."""

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """The patches of a pod that the VPA controls. Raises CalculationError."""


class ObservedContainers:
    """The annotation that lists the containers that the VPA saw (NewObservedContainersCalculator).

    A container that another webhook adds later is not in it: an eviction could not change its resources.
    """

    def calculate_patches(self, pod: Object, _vpa: Object) -> list[PatchRecord]:
        """See Calculator."""
        return [add_annotation(OBSERVED_CONTAINERS, observed_containers_value(pod))]
