"""Pods, VPAs and LimitRanges, as several topics draw them."""

from __future__ import annotations

import random
from typing import Any

from lockstep.quality.oracle.questions.chance import cpu, maybe, memory

_NAMES = ("app", "proxy", "log")
_MODES = (None, None, None, "Off", "Initial", "Recreate", "Auto", "InPlaceOrRecreate", "InPlace")
_ODD = (
    *("0", "1", "100m", "64Mi", "0.5", "1500m", "1Gi", "999999999n", "-1", "-500m", "-12500u", "-12Gi", "1e15", "8Ei"),
    *("7e18", "9E", "-8Ei", "5e20", "-4e20", "1e30", "12345678901234567890", "18446744073709551615m"),
)
_FORMATS = ("{}m", "{}", "{}k", "{}Mi", "{}e3", "{}n", "{}u")

Resources = dict[str, str]


def quantity(rng: random.Random, name: str) -> str:
    """An amount of that resource, mostly in its usual form."""
    kind = rng.random()
    if kind < 0.85:
        return f"{max(cpu(rng), 0)}m" if name == "cpu" else _bytes(rng)
    if kind < 0.93:
        return rng.choice(_ODD)
    return rng.choice(_FORMATS).format(rng.randrange(1, 5000))


def _bytes(rng: random.Random) -> str:
    amount = max(memory(rng), 0)
    return f"{amount >> 20}Mi" if amount % 2**20 == 0 else str(amount)


def resources(rng: random.Random, chance: float = 0.8) -> Resources | None:
    """CPU and memory, each with that chance; null, or empty, if there is none of them."""
    found = {name: quantity(rng, name) for name in ("cpu", "memory") if rng.random() < chance}
    if rng.random() < 0.03:
        found["nvidia.com/gpu"] = str(rng.randrange(4))
    return found or maybe(rng, 0.1, {})


def some(**fields: Any) -> dict[str, Any]:
    """An object without the fields that are null."""
    return {name: value for name, value in fields.items() if value is not None}


def names(rng: random.Random) -> tuple[str, ...]:
    """The containers of a pod."""
    return _NAMES[: rng.choice((1, 1, 2, 2, 3))]


def pod(rng: random.Random, name: str = "web", containers: tuple[str, ...] = _NAMES[:1]) -> dict[str, Any]:
    """A pod with these containers; for some, the kubelet reports other resources than the spec has."""
    specs = [some(name=each, resources=_requirements(rng)) for each in containers]
    statuses = [some(name=each, resources=maybe(rng, 0.5, _requirements(rng))) for each in containers]
    return {
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"containers": specs},
        "status": some(phase="Running", containerStatuses=maybe(rng, 0.4, statuses)),
    }


def _requirements(rng: random.Random) -> dict[str, Any] | None:
    found = some(requests=resources(rng), limits=maybe(rng, 0.6, resources(rng)))
    if "requests" in found and "limits" in found and rng.random() < 0.2:
        found["limits"] = found["requests"]
    return found or maybe(rng, 0.5, {})


def vpa(rng: random.Random, containers: tuple[str, ...], mode: str | None = None) -> dict[str, Any]:
    """A VPA with policies and a recommendation for these containers, or some of them, or others."""
    recommended = [recommendation(rng, each) for each in (*containers, "gone") if rng.random() < 0.85]
    policies = [_policy(rng, each) for each in ("*", *containers, "*") if rng.random() < 0.4]
    mode = mode or rng.choice(_MODES)
    return {
        "metadata": {"name": "vpa", "namespace": "default"},
        "spec": some(
            updatePolicy=maybe(rng, 0.9 if mode else 0.3, some(updateMode=mode)),
            resourcePolicy=maybe(rng, 0.8, {"containerPolicies": policies}),
        ),
        "status": some(recommendation=maybe(rng, 0.93, {"containerRecommendations": recommended})),
    }


def recommendation(rng: random.Random, container: str) -> dict[str, Any]:
    """One container's, with bounds around the target, mostly."""
    return some(
        containerName=container,
        target=resources(rng, 0.95),
        lowerBound=maybe(rng, 0.9, resources(rng, 0.95)),
        upperBound=maybe(rng, 0.9, resources(rng, 0.95)),
        uncappedTarget=maybe(rng, 0.5, resources(rng, 0.95)),
    )


def _policy(rng: random.Random, container: str) -> dict[str, Any]:
    return some(
        containerName=container,
        mode=maybe(rng, 0.2, rng.choice(("Off", "Auto"))),
        minAllowed=maybe(rng, 0.5, resources(rng)),
        maxAllowed=maybe(rng, 0.5, resources(rng)),
        controlledValues=maybe(rng, 0.4, rng.choice(("RequestsOnly", "RequestsAndLimits"))),
    )


def limit_ranges(rng: random.Random, chance: float = 0.5) -> list[dict[str, Any]]:
    """None, or one; more only where none but one sets a default, of which upstream takes any."""
    if rng.random() >= chance:
        return []
    ranges = [_limit_range(rng, "first", defaults=True)]
    if rng.random() < 0.3:
        ranges.append(_limit_range(rng, "second", defaults=False))
    return ranges


def _limit_range(rng: random.Random, name: str, *, defaults: bool) -> dict[str, Any]:
    items = [
        some(
            type=rng.choice(("Container", "Container", "Pod", "Pod", "PersistentVolumeClaim")),
            max=maybe(rng, 0.6, small(rng)),
            min=maybe(rng, 0.6, small(rng)),
            default=maybe(rng, 0.5 if defaults else 0.0, small(rng)),
        )
        for _ in range(rng.randrange(1, 4))
    ]
    return {"metadata": {"name": name, "namespace": "default"}, "spec": {"limits": items}}


def small(rng: random.Random) -> Resources:
    """CPU and memory without other resources, which upstream merges only by accident."""
    return {name: quantity(rng, name) for name in ("cpu", "memory") if rng.random() < 0.8}
