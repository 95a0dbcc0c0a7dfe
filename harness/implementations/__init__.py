"""Who decides: the implementations of the controllers under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from harness.implementations.calls import CallAnswer
    from harness.loop import VirtualLoop
    from harness.network import Network
    from harness.options import Options
    from harness.trace.recordings import Provenance

#: The actor name that each controller's requests carry.
ACTORS = {
    "replicaset": "replicaset-controller",
    "hpa": "horizontal-pod-autoscaler",
    "vpa-recommender": "vpa-recommender",
    "vpa-updater": "vpa-updater",
    "vpa-admission": "vpa-admission",
}
#: Names that users may write for several controllers at once.
GROUPS = {"vpa": ("vpa-recommender", "vpa-updater", "vpa-admission")}

#: Controllers that the API server calls as webhooks: the namespace and name of the Service at which each answers.
WEBHOOK_SERVICES = {"vpa-admission": ("kube-system", "vpa-webhook")}
#: Controllers that others call.
LISTENERS = frozenset(WEBHOOK_SERVICES)


def options_of(controller: str, options: Options) -> dict[str, Any]:
    """What of the options concerns one controller: plain JSON, by the names that both implementations use."""
    if controller == "hpa":
        return {**asdict(options.hpa), "resync": options.resync}
    if controller in GROUPS["vpa"]:
        return asdict(getattr(options.vpa, controller.removeprefix("vpa-")))
    return {"workers": options.workers, "burst_replicas": options.burst_replicas, "resync": options.resync}


def feature_gates_of(controller: str, options: Options) -> Mapping[str, bool] | None:
    """The feature gates that a controller looks at; None if it looks at none."""
    if controller in GROUPS["vpa"]:
        return options.vpa.feature_gates
    return options.feature_gates if controller == "hpa" else None


class Controllers(Protocol):
    """The controllers of one implementation inside one run."""

    def start(self, controller: str) -> None:
        """Start a controller, or start it again after a crash."""

    def crash(self, controller: str) -> None:
        """Stop a controller where it stands: none of its requests reaches the server any more."""

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        """Call the handler with which a controller listens, as an HTTP client would.

        `answer` is called once: later, when all controllers are parked, or at once with `Broken` if nobody listens. A
        crash of the controller breaks the call. The result takes the call back: the caller has given up, and `answer`
        is not called any more.
        """

    def end(self) -> None:
        """The run is over: stop everything."""

    @property
    def errors(self) -> list[str]:
        """Errors that the controllers reported, in order."""

    @property
    def failure(self) -> str | None:
        """Why a controller ended by itself, which none ever should; None if all is well."""


class Implementation(Protocol):
    """Can be attached to any number of runs, one after the other."""

    #: As the user wrote it: "reference", "upstream:1.34.4" ...
    spec: str

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> Controllers:
        """Bring the implementation into a run."""

    def provenance(self, seed: int) -> Provenance:
        """Where a recording of this implementation comes from."""

    def close(self) -> None:
        """Release what the implementation holds, such as its process."""
