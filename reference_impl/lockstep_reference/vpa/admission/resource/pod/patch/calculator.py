"""One reason to change a pod (pkg/admission-controller/resource/pod/patch/calculator.go)."""

from __future__ import annotations

from typing import Protocol

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.patches import PatchRecord


class CalculationError(Exception):
    """The patches cannot be told; `str()` is upstream's text."""


class Calculator(Protocol):
    """Computes patches."""

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """The patches of a pod that the VPA controls. Raises CalculationError."""
