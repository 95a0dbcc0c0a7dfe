"""What the admission server asks about one kind of object (pkg/admission-controller/resource/handler.go)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lockstep_reference.machinery.field import FieldError
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.patches import PatchRecord


class Handler(Protocol):
    """Knows one resource."""

    #: Group and resource of the objects.
    group_resource: tuple[str, str]
    #: Whether an object with findings is refused.
    disallow_incorrect_objects: bool

    async def get_patches(self, request: Object) -> tuple[list[PatchRecord], Sequence[FieldError]]:
        """What to change about the object of an AdmissionRequest, or what is wrong with it."""
