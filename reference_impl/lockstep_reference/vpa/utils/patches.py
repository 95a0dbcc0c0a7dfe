"""Records of JSON patches, RFC 6902, on pods (pkg/admission-controller/resource: handler.go, pod/patch/util.go).

A record is a dict in wire form. It always has a `value`, also where the operation needs none.
"""

from __future__ import annotations

from typing import Any

from lockstep.wire.quantity import Quantity

JSON_PATCH = "application/json-patch+json"

PatchRecord = dict[str, Any]


def patch_record(operation: str, path: str, value: Any = None) -> PatchRecord:
    """One operation, in the order in which upstream writes its fields (PatchRecord)."""
    return {"op": operation, "path": path, "value": value}


def add_empty_annotations() -> PatchRecord:
    """A pod without annotations needs the map before anything can be put into it (GetAddEmptyAnnotationsPatch)."""
    return patch_record("add", "/metadata/annotations", {})


def add_annotation(name: str, value: str) -> PatchRecord:
    """Set an annotation (GetAddAnnotationPatch)."""
    return patch_record("add", _annotation_path(name), value)


def remove_annotation(name: str) -> PatchRecord:
    """Take an annotation away (GetRemoveAnnotationPatch)."""
    return patch_record("remove", _annotation_path(name))


def _annotation_path(name: str) -> str:
    # of the two characters that a pointer has to escape upstream knows this one only
    return f"/metadata/annotations/{name.replace('/', '~1')}"


def add_resource(index: int, kind: str, resource: str, value: Quantity) -> PatchRecord:
    """Set one of a container's `requests` or `limits`, which is `kind` (GetAddResourceRequirementValuePatch)."""
    return patch_record("add", f"/spec/containers/{index}/resources/{kind}/{resource}", str(value))


def initialize_resources(index: int) -> PatchRecord:
    """For a container that has neither requests nor limits (GetPatchInitializingEmptyResources)."""
    return patch_record("add", f"/spec/containers/{index}/resources", {})


def initialize_resources_subfield(index: int, kind: str) -> PatchRecord:
    """For a container without `requests` or `limits`, which is `kind` (GetPatchInitializingEmptyResourcesSubfield)."""
    return patch_record("add", f"/spec/containers/{index}/resources/{kind}", {})
