"""VPA objects on their way in (pkg/admission-controller/resource/vpa/handler.go)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lockstep.wire.gojson import DecodeError
from lockstep_reference.machinery.field import FieldError, internal_error
from lockstep_reference.vpa.admission.vpa.validation import validate_vpa, validation_options_for
from lockstep_reference.vpa.admission.vpa.wire import parse_vpa
from lockstep_reference.vpa.apis import UPDATE_MODE_RECREATE, Object
from lockstep_reference.vpa.utils.patches import PatchRecord, patch_record


class VpaHandler:
    """Refuses VPAs that make no sense, and fills in the update policy."""

    group_resource = ("autoscaling.k8s.io", "verticalpodautoscalers")
    disallow_incorrect_objects = True

    def __init__(self, feature_gates: Mapping[str, bool]) -> None:
        self._feature_gates = feature_gates

    async def get_patches(self, request: Object) -> tuple[list[PatchRecord], Sequence[FieldError]]:
        """See Handler (GetPatches)."""
        try:
            vpa = parse_vpa(request.get("object"))
            old = parse_vpa(request.get("oldObject")) if request.get("operation") == "UPDATE" else {"spec": {}}
        except DecodeError as error:
            return [], [internal_error(".", error)]
        errors = validate_vpa(vpa, validation_options_for(old, self._feature_gates))
        if errors or vpa["spec"].get("updatePolicy") is not None:
            return [], errors
        return [patch_record("add", "/spec/updatePolicy", {"updateMode": UPDATE_MODE_RECREATE})], []
