"""The arithmetic of LimitRanges: the total of a pod's requests, and how they violate a limit.

From plugin/pkg/admission/limitranger/admission.go.
"""

from __future__ import annotations

from typing import Any

from lockstep.wire.quantity import DECIMAL_SI, Quantity, read_quantity

Resources = dict[str, dict[str, Any]]
Amounts = dict[str, Quantity]
#: resource.MaxMilliValue
_MOST_IN_MILLI = (2**63 - 1) // 1000
_NONE = Quantity(0, 0, DECIMAL_SI)
#: Resources that a pod can request at pod level.
_OF_PODS = frozenset({"cpu", "memory"})


def pod_resources(spec: dict[str, Any]) -> Resources:
    """The requests and limits of a pod (podRequests, podLimits)."""
    return {
        side: {name: str(amount) for name, amount in pod_amounts(spec, side).items()} for side in ("requests", "limits")
    }


def pod_amounts(spec: dict[str, Any], side: str) -> Amounts:
    """What a pod requests, or is limited to: its containers and sidecars together, or more while it starts."""
    total: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _asked(container, side))
    sidecars: Amounts = {}
    most: Amounts = {}
    for container in spec.get("initContainers") or ():
        asked = _asked(container, side)
        if container.get("restartPolicy") == "Always":
            _add(total, asked)
            _add(sidecars, asked)
            _maximise(most, sidecars)
        else:
            together: Amounts = {}
            _add(together, asked)
            _add(together, sidecars)
            _maximise(most, together)
    _maximise(total, most)
    own = (spec.get("resources") or {}).get(side) or {}
    total.update({name: read_quantity(amount) for name, amount in own.items() if name in _OF_PODS})
    return total


def _asked(container: dict[str, Any], side: str) -> Amounts:
    amounts = (container.get("resources") or {}).get(side) or {}
    return {name: read_quantity(amount) for name, amount in amounts.items()}


def _add(total: Amounts, more: Amounts) -> None:
    """AddResourceList."""
    for name, amount in more.items():
        total[name] = total[name].plus(amount) if name in total else amount


def _maximise(total: Amounts, other: Amounts) -> None:
    """MaxResourceList."""
    for name, amount in other.items():
        if name not in total or amount.compare(total[name]) > 0:
            total[name] = amount


def violations(item: dict[str, Any], resources: Resources) -> list[str]:
    """How a container or a pod violates one item of a LimitRange, as upstream's messages."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    kind = item["type"]
    found = [_below(kind, name, bound, requests, limits) for name, bound in (item.get("min") or {}).items()]
    found += [_above(kind, name, bound, requests, limits) for name, bound in (item.get("max") or {}).items()]
    ratios = (item.get("maxLimitRequestRatio") or {}).items()
    found += [_out_of_ratio(kind, name, bound, requests, limits) for name, bound in ratios]
    return [text for text in found if text]


def _values(*amounts: Any) -> list[int]:
    """requestLimitEnforcedValues: in thousandths if they all fit, else in units; rounded up, absent ones as 0."""
    quantities = [_NONE if amount is None else read_quantity(amount) for amount in amounts]
    values = [one.value() for one in quantities]
    return [one.milli_value() for one in quantities] if max(values) <= _MOST_IN_MILLI else values


def _below(kind: str, name: str, bound: Any, requests: dict[str, Any], limits: dict[str, Any]) -> str:
    """MinConstraint."""
    asked, limit = requests.get(name), limits.get(name)
    request_value, limit_value, least = _values(asked, limit, bound)
    said = f"minimum {name} usage per {kind} is {bound}"
    if asked is None:
        return f"{said}.  No request is specified"
    if request_value < least:
        return f"{said}, but request is {asked}"
    return f"{said}, but limit is {limit}" if limit is not None and limit_value < least else ""


def _above(kind: str, name: str, bound: Any, requests: dict[str, Any], limits: dict[str, Any]) -> str:
    """MaxConstraint."""
    asked, limit = requests.get(name), limits.get(name)
    request_value, limit_value, most = _values(asked, limit, bound)
    said = f"maximum {name} usage per {kind} is {bound}"
    if limit is None:
        return f"{said}.  No limit is specified"
    if limit_value > most:
        return f"{said}, but limit is {limit}"
    return f"{said}, but request is {asked}" if asked is not None and request_value > most else ""


def _out_of_ratio(kind: str, name: str, bound: Any, requests: dict[str, Any], limits: dict[str, Any]) -> str:
    """limitRequestRatioConstraint, computed in floats like upstream."""
    request_value, limit_value, _ = _values(requests.get(name), limits.get(name), bound)
    said = f"{name} max limit to request ratio per {kind} is {bound}"
    if not request_value:
        return f"{said}, but no request is specified or request is 0"
    if not limit_value:
        return f"{said}, but no limit is specified or limit is 0"
    ratio, most = limit_value / request_value, read_quantity(bound)
    fits = most.value() <= _MOST_IN_MILLI
    exceeded = ratio * 1000 > float(most.milli_value()) if fits else ratio > float(most.value())
    return f"{said}, but provided ratio is {ratio:f}" if exceeded else ""
