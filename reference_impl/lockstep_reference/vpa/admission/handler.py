"""The handler of one kind of object (pkg/admission-controller/resource/handler.go)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lockstep.wire.field import FieldError
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.patches import PatchRecord


class Handler(Protocol):
    """Handles one resource."""

    #: Group and resource of the objects.
    group_resource: tuple[str, str]
    #: Whether an invalid object is refused.
    disallow_incorrect_objects: bool

    async def get_patches(self, request: Object) -> tuple[list[PatchRecord], Sequence[FieldError]]:
        """The patches for the object of an AdmissionRequest, or its errors."""
