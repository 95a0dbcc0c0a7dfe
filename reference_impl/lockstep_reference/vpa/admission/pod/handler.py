"""Pods on their way in (pkg/admission-controller/resource/pod/handler.go)."""

from __future__ import annotations

from collections.abc import Sequence

from lockstep_reference.machinery.field import FieldError, internal_error, invalid
from lockstep_reference.vpa.admission.pod.calculators import CalculationError, Calculator
from lockstep_reference.vpa.admission.vpa.matcher import Matcher
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.utils.patches import PatchRecord, add_empty_annotations


class PodHandler:
    """Gives a pod what its VPA recommends. A pod is never refused: the API server judges pods."""

    group_resource = ("", "pods")
    disallow_incorrect_objects = False

    def __init__(self, matcher: Matcher, calculators: Sequence[Calculator]) -> None:
        self._matcher = matcher
        self._calculators = calculators

    async def get_patches(self, request: Object) -> tuple[list[PatchRecord], Sequence[FieldError]]:
        """See Handler (GetPatches)."""
        version = (request.get("resource") or {}).get("version", "")
        if version != "v1":
            return [], [invalid(".", version, "only v1 Pods are supported")]
        raw = request.get("object")
        if not isinstance(raw, dict):
            return [], [internal_error(".", ValueError("unexpected end of JSON input"))]
        pod = _named(raw, request.get("namespace") or "")
        vpa = await self._matcher.get_matching_vpa(pod)
        if vpa is None:
            return [], []
        patches = [] if pod["metadata"].get("annotations") is not None else [add_empty_annotations()]
        for calculator in self._calculators:
            try:
                patches += calculator.calculate_patches(pod, vpa)
            except CalculationError as error:
                return [], [internal_error(".", error)]
        return patches, []


def _named(raw: Object, namespace: str) -> Object:
    """The pod, with what will be its namespace and a name for logs if it has none yet."""
    metadata = raw.get("metadata") or {}
    if not metadata.get("name"):
        metadata = {**metadata, "name": f"{metadata.get('generateName') or ''}%", "namespace": namespace}
    return {**raw, "metadata": metadata, "spec": raw.get("spec") or {}}
