"""Calculators of patches (pkg/admission-controller/resource/pod/patch/calculator.go)."""

from __future__ import annotations

from typing import Protocol

from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.patches import PatchRecord

#: What a patch is applied to: the pod, or its subresource `resize`.
POD = "Pod"
RESIZE = "Resize"


class PatchCalculator(Protocol):
    """Computes the patches of a pod."""

    #: POD or RESIZE.
    target: str

    def calculate_patches(self, pod: Object, vpa: Object) -> list[PatchRecord]:
        """The operations, none if the pod needs no change.

        Raises ValueError for an invalid annotation, and Panic where upstream does.
        """
