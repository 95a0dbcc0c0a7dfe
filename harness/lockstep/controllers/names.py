"""The controllers that can be tested: their names, and which of a scenario's options apply to each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lockstep.controllers.options import Options

#: The actor name that each controller's requests carry.
ACTORS = {
    "replicaset": "replicaset-controller",
    "hpa": "horizontal-pod-autoscaler",
    "vpa-recommender": "vpa-recommender",
    "vpa-updater": "vpa-updater",
    "vpa-admission": "vpa-admission",
}
#: Names that users may write for a group of controllers.
GROUPS = {"vpa": ("vpa-recommender", "vpa-updater", "vpa-admission")}

#: Controllers that the API server calls as webhooks: the namespace and name of the Service at which each answers.
WEBHOOK_SERVICES = {"vpa-admission": ("kube-system", "vpa-webhook")}
#: Controllers that accept calls.
LISTENERS = frozenset(WEBHOOK_SERVICES)


def options_of(controller: str, options: Options) -> dict[str, Any]:
    """The options that apply to one controller, as plain JSON with the names that both implementations use."""
    if controller == "hpa":
        return {**asdict(options.hpa), "resync": options.resync}
    if controller in GROUPS["vpa"]:
        return asdict(getattr(options.vpa, controller.removeprefix("vpa-")))
    return {"workers": options.workers, "burst_replicas": options.burst_replicas, "resync": options.resync}


def feature_gates_of(controller: str, options: Options) -> Mapping[str, bool] | None:
    """The feature gates that a controller reads; None if it reads none."""
    if controller in GROUPS["vpa"]:
        return options.vpa.feature_gates
    return options.feature_gates if controller == "hpa" else None
