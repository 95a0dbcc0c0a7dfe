"""Validation of a pod's status (pkg/apis/core/validation/validation.go: ValidatePodStatusUpdate).

Checks of resource claims, users of containers and the health of devices are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv6Address, ip_address
from typing import Any

from lockstep.wire import names
from lockstep.wire.field import FieldError, InOrder, forbidden_value, internal, invalid_value

Object = dict[str, Any]
Findings = list[FieldError]

_SYSTEM_CONDITIONS = frozenset({"PodScheduled", "Ready", "Initialized"})
_NEGATIVE = "must be a non-negative integer"
_BACK = "may not be transitioned to non-terminated state"
_ONE_EACH = "may specify no more than one IP for each IP family"
_NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"


def pod_status_findings(new: Object, old: Object) -> Findings:
    """What is wrong with this pod's status, as the next one of the `old` pod."""
    status, before = new.get("status") or {}, old.get("status") or {}
    found = list(_conditions(status.get("conditions") or ()))
    found.extend(_nomination(status, before, old["spec"]))
    if status.get("observedGeneration", 0) < 0:
        found.append(invalid_value("status.observedGeneration", status["observedGeneration"], _NEGATIVE))
    if status.get("qosClass") != before.get("qosClass"):
        found.append(invalid_value("status.qosClass", status.get("qosClass"), "field is immutable"))
    found.extend(_transitions(status, before, old["spec"]))
    found.extend(_addresses("podIPs", status, before))
    if status.get("hostIPs"):
        first = status["hostIPs"][0].get("ip", "")
        if status.get("hostIP", "") != first:
            found.append(invalid_value("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
        found.extend(_addresses("hostIPs", status, before))
    return found


def _conditions(conditions: Sequence[Object]) -> Iterator[FieldError]:
    """ValidatePodConditions."""
    for index, condition in enumerate(conditions):
        field = f"status.conditions[{index}]"
        generation = condition.get("observedGeneration", 0)
        if generation < 0:
            yield invalid_value(f"{field}.observedGeneration", generation, _NEGATIVE)
        kind = condition.get("type", "")
        if kind not in _SYSTEM_CONDITIONS:
            for complaint in names.qualified_name(kind):
                yield invalid_value(f"{field}.Type", kind, complaint)


def _nomination(status: Object, before: Object, spec: Object) -> Iterator[FieldError]:
    node = status.get("nominatedNodeName", "")
    if not node or node == before.get("nominatedNodeName", ""):
        return
    for complaint in names.dns_subdomain(node):
        yield invalid_value("status.nominatedNodeName", node, complaint)
    if spec.get("nodeName"):
        yield forbidden_value("status.nominatedNodeName", "may not be set on pods that are already bound to a node")


# -- containers -------------------------------------------------------------------------------------------------------


def _transitions(status: Object, before: Object, spec: Object) -> Iterator[FieldError]:
    """Container, init container and ephemeral container: one that has ended for good must stay terminated."""
    for group, containers in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        if before.get(group) and not _all_could_restart(spec):
            yield from _revived(group, status, before, spec, spec.get(containers) or [])
    if before.get("ephemeralContainerStatuses"):
        yield from _revived("ephemeralContainerStatuses", status, before, spec, [])


def _revived(
    group: str, status: Object, before: Object, spec: Object, containers: list[Object]
) -> Iterator[FieldError]:
    """A container that is not one of the `containers` has no restart policy, so it stays terminated."""
    running = {one.get("name") for one in status.get(group) or () if _terminated(one) is None}
    for index, one in enumerate(before[group]):
        end = _terminated(one)
        if end is None or one.get("name") not in running:
            continue
        container = next((each for each in containers if each["name"] == one.get("name")), None)
        if container is None or not _should_restart(container, spec, end.get("exitCode", 0)):
            yield forbidden_value(f"status.{group}[{index}].state", _BACK)


def _terminated(status: Object) -> Object | None:
    return (status.get("state") or {}).get("terminated")


def _all_could_restart(spec: Object) -> bool:
    """podutil.AllContainersCouldRestart."""
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    rules = (rule for container in containers for rule in container.get("restartPolicyRules") or ())
    return any(rule.get("action") == "RestartAllContainers" for rule in rules)


def _should_restart(container: Object, spec: Object, exit_code: int) -> bool:
    """podutil.ContainerShouldRestart."""
    own = container.get("restartPolicy")
    if own is not None and any(_matches(rule, exit_code) for rule in container.get("restartPolicyRules") or ()):
        return True
    policy = own or spec.get("restartPolicy", "Always")
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def _matches(rule: Object, exit_code: int) -> bool:
    codes = rule.get("exitCodes") or {}
    matches = exit_code in (codes.get("values") or ())
    return matches if codes.get("operator") == "In" else bool(codes) and not matches


# -- addresses --------------------------------------------------------------------------------------------------------


def _addresses(name: str, status: Object, before: Object) -> Iterator[FieldError]:
    """validatePodIPs, validateHostIPs: what was invalid before may stay."""
    field = f"status.{name}"
    kept = {one.get("ip", "") for one in before.get(name) or ()}
    addresses = [one.get("ip", "") for one in status.get(name) or ()]
    for index, address in enumerate(addresses):
        complaint = "" if address in kept else _complaint(address)
        if complaint:
            yield invalid_value(f"{field}[{index}]", address, complaint)
    if len(addresses) < 2:
        return
    parsed = [_parse_sloppy(address) for address in addresses]
    if None in parsed:
        wrong = parsed.index(None)
        why = f"failed to check for dual stack with error:invalid IP[{wrong}]: {addresses[wrong]}"
        yield internal(field, why)
    families = {_is_ipv6(one) for one in parsed}
    if None in parsed or len(families) < 2 or len(addresses) > 2:
        yield invalid_value(field, [InOrder(IP=address) for address in addresses], _ONE_EACH)


def _complaint(address: str) -> str:
    """IsValidIPForLegacyField, with StrictIPCIDRValidation."""
    parsed = _parse_sloppy(address)
    if parsed is None:
        return _NO_ADDRESS
    if _parse(address) is None:
        return "must not have leading 0s"
    mapped = isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None
    return "must not be an IPv4-mapped IPv6 address" if mapped else ""


def _parse_sloppy(address: str) -> Any:
    """netutils.ParseIPSloppy: octets may begin with zeros; None if it is not an address."""
    head, colon, tail = address.rpartition(":")
    octets = tail.split(".")
    if len(octets) == 4 and all(octet.isascii() and octet.isdecimal() for octet in octets):
        tail = ".".join(octet.lstrip("0") or "0" for octet in octets)
    return _parse(f"{head}{colon}{tail}")


def _parse(address: str) -> Any:
    try:
        return None if "%" in address else ip_address(address)
    except ValueError:
        return None


def _is_ipv6(address: Any) -> bool:
    """Go counts an IPv4-mapped address as IPv4."""
    return isinstance(address, IPv6Address) and address.ipv4_mapped is None
