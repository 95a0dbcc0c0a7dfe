"""Lockstep: Kubernetes controllers through one scenario, in one simulated cluster, on one virtual clock.

The names of `__all__` are the public interface: they stay as they are within a major version. Everything else is
internal and may change with any release. They are imported when they are first used: `import lockstep` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lockstep import metrics, objects, world
    from lockstep.controllers.options import (
        AdmissionOptions,
        HpaOptions,
        Options,
        RecommenderOptions,
        UpdaterOptions,
        VpaOptions,
    )
    from lockstep.errors import LockstepError
    from lockstep.network import Fault
    from lockstep.scenarios.cluster import ApiFailure, Cluster, NeverSettles
    from lockstep.scenarios.declare import Scenario, ScenarioError, scenario
    from lockstep.scenarios.frozen import frozen
    from lockstep.trace.difference import Tolerance

__version__ = "0.1.0"

__all__ = [
    "AdmissionOptions",
    "ApiFailure",
    "Cluster",
    "Fault",
    "HpaOptions",
    "LockstepError",
    "NeverSettles",
    "Options",
    "RecommenderOptions",
    "Scenario",
    "ScenarioError",
    "Tolerance",
    "UpdaterOptions",
    "VpaOptions",
    "__version__",
    "frozen",
    "metrics",
    "objects",
    "scenario",
    "world",
]

#: Where each public name is defined. Names of packages (`metrics`, `objects`, `world`) stand for themselves.
_HOME = {
    **dict.fromkeys(
        ("AdmissionOptions", "HpaOptions", "Options", "RecommenderOptions", "UpdaterOptions", "VpaOptions"),
        "lockstep.controllers.options",
    ),
    "LockstepError": "lockstep.errors",
    "Fault": "lockstep.network",
    **dict.fromkeys(("ApiFailure", "Cluster", "NeverSettles"), "lockstep.scenarios.cluster"),
    **dict.fromkeys(("Scenario", "ScenarioError", "scenario"), "lockstep.scenarios.declare"),
    "frozen": "lockstep.scenarios.frozen",
    "Tolerance": "lockstep.trace.difference",
    **dict.fromkeys(("metrics", "objects", "world")),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lockstep' has no attribute {name!r}")
    home = _HOME[name]
    value = (
        importlib.import_module(f"lockstep.{name}") if home is None else getattr(importlib.import_module(home), name)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
