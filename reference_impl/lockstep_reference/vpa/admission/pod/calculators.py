"""Reasons to change a pod (pkg/admission-controller/resource/pod/patch: calculator.go, observed_containers.go)."""

from __future__ import annotations

from typing import Protocol

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.annotations import OBSERVED_CONTAINERS, observed_containers_value
from lockstep_reference.vpa.utils.patches import PatchRecord, add_annotation


class CalculationError(Exception):
    """The patches cannot be told; `str()` is upstream's text."""


class Calculator(Protocol):
    """Computes patches."""

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """The patches of a pod that the VPA controls. Raises CalculationError."""


class ObservedContainers:
    """The annotation that lists the containers which the VPA knew (NewObservedContainersCalculator).

    What another webhook adds later is not in it, and is not what an eviction could change.
    """

    def calculate_patches(self, pod: Object, _vpa: Object) -> list[PatchRecord]:
        """See Calculator."""
        return [add_annotation(OBSERVED_CONTAINERS, observed_containers_value(pod))]
