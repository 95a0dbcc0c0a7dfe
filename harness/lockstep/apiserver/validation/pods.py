"""Validation of pods and pod templates (pkg/apis/core/validation/validation.go).

Specs of pods are shared objects, so the findings on one are remembered by identity.
"""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.sharing import ByIdentity
from lockstep.wire import names
from lockstep.wire.field import FieldError, duplicate, forbidden_value, invalid_value, not_supported, required
from lockstep.wire.quantity import Quantity, read_quantity

Findings = list[FieldError]

_MAX_INT32 = 2**31 - 1
_UPDATABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)


def _resources(resources: dict[str, Any], field: str, found: Findings) -> None:
    amounts: dict[tuple[str, str], Quantity] = {}
    for side in ("limits", "requests"):
        for name, amount in (resources.get(side) or {}).items():
            try:
                amounts[side, name] = read_quantity(amount)
            except ValueError as problem:
                found.append(invalid_value(f"{field}.{side}[{name}]", amount, str(problem)))
                continue
            if amounts[side, name].sign < 0:
                found.append(invalid_value(f"{field}.{side}[{name}]", amount, "must be greater than or equal to 0"))
    for (side, name), amount in amounts.items():
        limit = amounts.get(("limits", name))
        if side == "requests" and limit is not None and amount.compare(limit) > 0:
            found.append(
                invalid_value(
                    f"{field}.requests",
                    str(resources["requests"][name]),
                    f"must be less than or equal to {name} limit of {resources['limits'][name]}",
                )
            )


def _image_findings(container: dict[str, Any], path: str) -> Findings:
    image = container.get("image") or ""
    if image == image.strip():
        return []
    return [invalid_value(f"{path}.image", image, "must not have leading or trailing whitespace")]


def container_findings(containers: list[dict[str, Any]], field: str) -> Findings:
    """validateContainers, the checks common to all containers."""
    found: Findings = []
    seen: set[str] = set()
    for index, container in enumerate(containers):
        path = f"{field}[{index}]"
        name = container.get("name", "")
        if not name:
            found.append(required(f"{path}.name"))
        else:
            found.extend(invalid_value(f"{path}.name", name, text) for text in names.short_name(name))
        if not container.get("image"):
            found.append(required(f"{path}.image"))
        else:
            found.extend(_image_findings(container, path))
        policy = container.get("imagePullPolicy", "")
        if policy not in ("Always", "IfNotPresent", "Never"):
            found.append(not_supported(f"{path}.imagePullPolicy", policy, ["Always", "IfNotPresent", "Never"]))
        _resources(container.get("resources") or {}, f"{path}.resources", found)
        if name in seen:
            found.append(duplicate(f"{path}.name", name))
        seen.add(name)
    return found


def pod_spec_findings(spec: dict[str, Any], field: str) -> Findings:
    """ValidatePodSpec."""
    found: Findings = []
    containers = spec.get("containers") or []
    if not containers:
        found.append(required(f"{field}.containers"))
    found.extend(container_findings(containers, f"{field}.containers"))
    found.extend(container_findings(spec.get("initContainers") or [], f"{field}.initContainers"))
    policies = ["Always", "OnFailure", "Never"]
    if spec.get("restartPolicy", "Always") not in policies:
        found.append(not_supported(f"{field}.restartPolicy", spec["restartPolicy"], policies))
    policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]
    if spec.get("dnsPolicy", "ClusterFirst") not in policies:
        found.append(not_supported(f"{field}.dnsPolicy", spec["dnsPolicy"], policies))
    if spec.get("nodeName"):
        found.extend(
            invalid_value(f"{field}.nodeName", spec["nodeName"], text) for text in names.dns_subdomain(spec["nodeName"])
        )
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _MAX_INT32:
        why = f"must be between 1 and {_MAX_INT32}, inclusive"
        found.append(invalid_value(f"{field}.activeDeadlineSeconds", deadline, why))
    return found


#: The findings on the (shared) spec of a pod.
shared_spec_findings = ByIdentity(lambda spec: tuple(pod_spec_findings(spec, "spec")))


def _narrowed(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Whether a gated pod's node selector lost or changed a term; terms may be added while the pod is gated."""
    chosen = new.get("nodeSelector") or {}
    return any(chosen.get(key) != value for key, value in (old.get("nodeSelector") or {}).items())


def _munged(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """The new spec with the old value in every field that may change."""
    munged = dict(new)
    for group in ("containers", "initContainers"):
        if group in new:
            munged[group] = [
                {**fresh, "image": before.get("image")} for fresh, before in zip(new[group], old[group], strict=True)
            ]
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        munged.pop(name, None)
        if name in old:
            munged[name] = old[name]
    if old.get("schedulingGates") and not _narrowed(new, old):
        munged.pop("nodeSelector", None)
        if "nodeSelector" in old:
            munged["nodeSelector"] = old["nodeSelector"]
    if old.get("terminationGracePeriodSeconds", 0) < 0 and new.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    return munged


def _deadline_findings(new: int | None, old: int | None) -> tuple[Findings, bool]:
    """What is wrong with a new deadline, and whether the rest of the pod is not checked because of that."""
    path = "spec.activeDeadlineSeconds"
    if new is None:
        why = "must not update from a positive integer to nil value"
        return ([] if old is None else [invalid_value(path, None, why)]), False
    if not 0 <= new <= _MAX_INT32:
        return [invalid_value(path, new, f"must be between 0 and {_MAX_INT32}, inclusive")], True
    if old is not None and new > old:
        return [invalid_value(path, new, "must be less than or equal to previous value")], True
    return [], False


def pod_update_findings(new: dict[str, Any], old: dict[str, Any]) -> Findings:
    """ValidatePodUpdate: almost all of a pod's spec is immutable."""
    found = list(shared_spec_findings(new))
    if new == old:
        return found
    for group in ("containers", "initContainers"):
        if len(new.get(group) or ()) != len(old.get(group) or ()):
            found.append(forbidden_value(f"spec.{group}", "pod updates may not add or remove containers"))
            return found
        for index, container in enumerate(new.get(group) or ()):
            found.extend(_image_findings(container, f"spec.{group}[{index}]"))
    deadlines, stop = _deadline_findings(new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds"))
    found.extend(deadlines)
    if stop:
        return found
    tolerations = new.get("tolerations") or []
    if any(item not in tolerations for item in old.get("tolerations") or ()):
        found.append(
            forbidden_value("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")
        )
    gates = old.get("schedulingGates") or []
    for index, gate in enumerate(new.get("schedulingGates") or ()):
        if gate not in gates:
            why = f"only deletion is allowed, but found new scheduling gate '{gate.get('name', '')}'"
            found.append(forbidden_value(f"spec.schedulingGates[{index}].name", why))
    munged = _munged(new, old)
    if munged != old:
        changed = sorted(name for name in {*munged, *old} if munged.get(name) != old.get(name))
        found.append(
            forbidden_value(
                "spec",
                f"pod updates may not change fields other than {','.join(_UPDATABLE)}\nchanged: " + ", ".join(changed),
            )
        )
    return found
