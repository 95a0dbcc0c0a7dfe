"""Who decides: the implementations of the controllers under test."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from harness.loop import VirtualLoop
    from harness.network import Network
    from harness.scenario import Options
    from harness.trace.recordings import Provenance

#: The actor name that each controller's requests carry.
ACTORS = {"replicaset": "replicaset-controller", "hpa": "horizontal-pod-autoscaler"}


def options_of(controller: str, options: Options) -> dict[str, Any]:
    """What of the options concerns one controller: plain JSON, by the names that both implementations use."""
    if controller == "hpa":
        return {**asdict(options.hpa), "resync": options.resync}
    return {"workers": options.workers, "burst_replicas": options.burst_replicas, "resync": options.resync}


class Controllers(Protocol):
    """The controllers of one implementation inside one run."""

    def start(self, controller: str) -> None:
        """Start a controller, or start it again after a crash."""

    def crash(self, controller: str) -> None:
        """Stop a controller where it stands: none of its requests reaches the server any more."""

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
