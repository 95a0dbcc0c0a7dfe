"""Validation of metadata: names, labels, annotations, owner references, finalizers, and what an update may change.

From apimachinery/pkg/api/validation/objectmeta.go, and what pkg/apis/core/validation adds for built-in kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.sharing import ByIdentity
from lockstep.wire import names
from lockstep.wire.field import FieldError, InOrder, forbidden_value, invalid_value, required, too_long
from lockstep.wire.gotext import quote
from lockstep.wire.meta import FOREGROUND, ORPHAN

Findings = list[FieldError]
_REFERENCE_PARTS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
_ANNOTATION_LIMIT = 256 * 1024


def label_findings(labels: dict[str, str] | None, field: str, found: Findings) -> None:
    """ValidateLabels: add what is wrong with labels to `found`."""
    for key, value in (labels or {}).items():
        found.extend(invalid_value(field, key, text) for text in names.qualified_name(key))
        found.extend(invalid_value(field, value, text) for text in names.label_value(value))


def annotation_findings(annotations: dict[str, str] | None, field: str, found: Findings) -> None:
    """ValidateAnnotations: add what is wrong with annotations to `found`."""
    if not annotations:
        return
    for key in annotations:
        found.extend(invalid_value(field, key, text) for text in names.qualified_name(key.lower()))
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > _ANNOTATION_LIMIT:
        found.append(too_long(field, _ANNOTATION_LIMIT))


def _owner_references(references: list[dict[str, Any]] | None, found: Findings) -> None:
    field = "metadata.ownerReferences"
    controller = ""
    for reference in references or ():
        for part in ("apiVersion", "kind", "name", "uid"):
            if not reference.get(part):
                reason = "version must not be empty" if part == "apiVersion" else "must not be empty"
                found.append(invalid_value(f"{field}.{part}", reference.get(part, ""), reason))
        if reference.get("apiVersion", "").count("/") > 1:
            reason = "version must not be empty"
            found.append(invalid_value(f"{field}.apiVersion", reference["apiVersion"], reason))
        if reference.get("apiVersion") == "v1" and reference.get("kind") == "Event":
            found.append(invalid_value(field, reference, "/v1, Kind=Event is disallowed from being an owner"))
        if reference.get("controller"):
            current = f"{reference.get('kind', '')}/{reference.get('name', '')}"
            if controller:
                found.append(
                    invalid_value(
                        field,
                        [_in_order(one) for one in references or ()],
                        'Only one reference can have Controller set to true. Found "true" in '
                        f"references for {controller} and {current}",
                    )
                )
            else:
                controller = current


def _in_order(reference: dict[str, Any]) -> InOrder:
    """In Go's order."""
    return InOrder({part: reference[part] for part in _REFERENCE_PARTS if part in reference})


def _finalizers(finalizers: list[str] | None, found: Findings) -> None:
    field = "metadata.finalizers"
    for finalizer in finalizers or ():
        found.extend(invalid_value(field, finalizer, text) for text in names.qualified_name(finalizer))
    if finalizers and ORPHAN in finalizers and FOREGROUND in finalizers:
        found.append(invalid_value(field, finalizers, f"finalizer {ORPHAN} and {FOREGROUND} cannot be both set"))


def _findings_on(check: Callable[[Any, Findings], None]) -> ByIdentity[tuple[FieldError, ...]]:
    def compute(part: Any) -> tuple[FieldError, ...]:
        found: Findings = []
        check(part, found)
        return tuple(found)

    return ByIdentity(compute)


#: The (shared) parts of metadata and the findings on them.
_PART_FINDINGS = {
    "labels": _findings_on(lambda part, found: label_findings(part, "metadata.labels", found)),
    "annotations": _findings_on(lambda part, found: annotation_findings(part, "metadata.annotations", found)),
    "ownerReferences": _findings_on(_owner_references),
    "finalizers": _findings_on(_finalizers),
}
_LABEL_NAMED = frozenset({"Namespace", "StatefulSet"})
#: Kinds whose names only have to be valid in a path, such as `system:node`.
_LOOSELY_NAMED = frozenset({"Event", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"})


def metadata_findings(metadata: dict[str, Any], kind: Kind) -> Findings:
    """ValidateObjectMetaAccessor."""
    found: Findings = []
    check = (
        names.short_name
        if kind.kind in _LABEL_NAMED
        else names.path_segment
        if kind.kind in _LOOSELY_NAMED
        else names.dns_subdomain
    )
    prefix = metadata.get("generateName")
    if prefix:
        found.extend(
            invalid_value("metadata.generateName", prefix, text) for text in check(names.mask_trailing_dash(prefix))
        )
    name = metadata.get("name")
    if not name:
        found.append(required("metadata.name", "name or generateName is required"))
    else:
        found.extend(invalid_value("metadata.name", name, text) for text in check(name))
    for part, findings in _PART_FINDINGS.items():
        value = metadata.get(part)
        if value:
            found.extend(findings(value))
    return found


_STANDARD_FINALIZERS = frozenset({ORPHAN, FOREGROUND, "kubernetes"})


def kube_finalizer_findings(metadata: dict[str, Any], kind: Kind) -> Findings:
    """Further checks of finalizers in pkg/apis/core/validation (validateKubeFinalizerName)."""
    finalizers = metadata.get("finalizers")
    if not finalizers or not kind.strategic or kind.group == "apiextensions.k8s.io":
        return []
    reason = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid_value(f"metadata.finalizers[{index}]", name, reason)
        for index, name in enumerate(finalizers)
        if "/" not in name and name not in _STANDARD_FINALIZERS
    ]


_IMMUTABLE_METADATA = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


def metadata_update_findings(new: dict[str, Any], old: dict[str, Any]) -> Findings:
    """ValidateObjectMetaAccessorUpdate."""
    found: Findings = []
    if old.get("deletionTimestamp"):
        extra = sorted(set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()))
        if extra:
            listed = ", ".join(quote(item) for item in extra)
            found.append(
                forbidden_value(
                    "metadata.finalizers",
                    "no new finalizers can be added if the object is being deleted, found new "
                    f"finalizers []string{{{listed}}}",
                )
            )
    for part in _IMMUTABLE_METADATA:
        if new.get(part) != old.get(part):
            found.append(invalid_value(f"metadata.{part}", new.get(part), "field is immutable"))
    for part in ("labels", "annotations", "ownerReferences"):
        value = new.get(part)
        if value:
            found.extend(_PART_FINDINGS[part](value))
    return found


#: Kinds whose own validation of an update only checks the spec.
_SPEC_ONLY = frozenset({"PodDisruptionBudget"})


def metadata_change_findings(new: dict[str, Any], old: dict[str, Any], kind: Kind) -> Findings:
    """What is wrong with an update's metadata: common checks (rest.BeforeUpdate), and those of the kind's strategy.

    Stored metadata is valid, so metadata that does not change need not be checked.
    """
    if new == old:
        return []
    update = metadata_update_findings(new, old)
    if kind.kind in _SPEC_ONLY and kind.strategic:
        return [*metadata_findings(new, kind), *update]
    return [*metadata_findings(new, kind), *update, *update, *kube_finalizer_findings(new, kind)]
