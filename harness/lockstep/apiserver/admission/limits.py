"""The arithmetic of LimitRanges: what a pod asks for altogether, and what a limit has against it.

From plugin/pkg/admission/limitranger/admission.go.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from lockstep.wire.quantity import parse, spell

Resources = dict[str, dict[str, Any]]
#: An amount, and a quantity that is spelled as its sum shall be.
Amount = tuple[Fraction, Any]
#: resource.MaxMilliValue
_MOST_IN_MILLI = (2**63 - 1) // 1000
#: Resources that a pod can ask for as a whole.
_OF_PODS = frozenset({"cpu", "memory"})


def pod_resources(spec: dict[str, Any]) -> Resources:
    """The requests and limits of a pod (podRequests, podLimits)."""
    return {
        side: {name: spell(amount, like) for name, (amount, like) in pod_amounts(spec, side).items()}
        for side in ("requests", "limits")
    }


def pod_amounts(spec: dict[str, Any], side: str) -> dict[str, Amount]:
    """What a pod requests, or is limited to: its containers and side-cars together, or more while it starts."""
    total: dict[str, Amount] = {}
    for container in spec.get("containers") or ():
        _add(total, _asked(container, side))
    sidecars: dict[str, Amount] = {}
    most: dict[str, Amount] = {}
    for container in spec.get("initContainers") or ():
        asked = _asked(container, side)
        if container.get("restartPolicy") == "Always":
            _add(total, asked)
            _add(sidecars, asked)
            _maximise(most, sidecars)
        else:
            together: dict[str, Amount] = {}
            _add(together, asked)
            _add(together, sidecars)
            _maximise(most, together)
    _maximise(total, most)
    own = (spec.get("resources") or {}).get(side) or {}
    total.update({name: (parse(amount), amount) for name, amount in own.items() if name in _OF_PODS})
    return total


def _asked(container: dict[str, Any], side: str) -> dict[str, Amount]:
    amounts = (container.get("resources") or {}).get(side) or {}
    return {name: (parse(amount), amount) for name, amount in amounts.items()}


def _add(total: dict[str, Amount], more: dict[str, Amount]) -> None:
    """addResourceList; a sum is spelled as its first part that is not zero."""
    for name, (amount, like) in more.items():
        before, first = total.get(name, (Fraction(0), like))
        total[name] = before + amount, first if before else like


def _maximise(total: dict[str, Amount], other: dict[str, Amount]) -> None:
    """MaxResourceList."""
    for name, amount in other.items():
        if name not in total or amount[0] > total[name][0]:
            total[name] = amount


def violations(item: dict[str, Any], resources: Resources) -> list[str]:
    """What one item of a LimitRange has against a container or a pod, in upstream's words."""
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    kind = item["type"]
    found = [_below(kind, name, bound, requests, limits) for name, bound in (item.get("min") or {}).items()]
    found += [_above(kind, name, bound, requests, limits) for name, bound in (item.get("max") or {}).items()]
    ratios = (item.get("maxLimitRequestRatio") or {}).items()
    found += [_out_of_ratio(kind, name, bound, requests, limits) for name, bound in ratios]
    return [text for text in found if text]


def _values(*amounts: Any) -> list[int]:
    """requestLimitEnforcedValues: in thousandths where they all fit, else whole; rounded up, absent ones as 0."""
    exact = [parse(amount) if amount is not None else Fraction(0) for amount in amounts]
    if all(ceil(amount) <= _MOST_IN_MILLI for amount in exact):
        return [ceil(amount * 1000) for amount in exact]
    return [ceil(amount) for amount in exact]


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
    """limitRequestRatioConstraint, in floats as upstream has it."""
    request_value, limit_value, _ = _values(requests.get(name), limits.get(name), bound)
    said = f"{name} max limit to request ratio per {kind} is {bound}"
    if not request_value:
        return f"{said}, but no request is specified or request is 0"
    if not limit_value:
        return f"{said}, but no limit is specified or limit is 0"
    ratio, most = limit_value / request_value, parse(bound)
    scale = 1000 if ceil(most) <= _MOST_IN_MILLI else 1
    exceeded = ratio * scale > float(ceil(most * scale))
    return f"{said}, but provided ratio is {ratio:f}" if exceeded else ""
