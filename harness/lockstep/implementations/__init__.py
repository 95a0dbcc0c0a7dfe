"""The implementations of the controllers under test: their common interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lockstep.controllers.options import Options
    from lockstep.network import Network
    from lockstep.network.calls import CallAnswer
    from lockstep.time.loop import VirtualLoop
    from lockstep.trace.recordings import Provenance


class Controllers(Protocol):
    """The controllers of one implementation inside one run."""

    def start(self, controller: str) -> None:
        """Start a controller, or start it again after a crash."""

    def crash(self, controller: str) -> None:
        """Stop a controller at once: none of its requests reaches the server any more."""

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        """Call the handler of a listening controller, as an HTTP client would.

        `answer` is called once: later, when all controllers are parked, or at once with `Broken` if the controller does
        not listen. A crash of the controller breaks the call. Returns a function that cancels the call: the caller has
        given up, and `answer` is not called any more.
        """

    def end(self) -> None:
        """The run is over: stop everything."""

    @property
    def errors(self) -> list[str]:
        """Errors that the controllers reported, in order."""

    @property
    def failure(self) -> str | None:
        """Why a controller ended by itself, which none should ever do; None if none did."""


class Implementation(Protocol):
    """Can be attached to any number of runs, one after the other."""

    #: As the user wrote it: "reference", "upstream:1.34.4" ...
    spec: str

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> Controllers:
        """Bring the implementation into a run."""

    def provenance(self, seed: int) -> Provenance:
        """The provenance of a recording of this implementation."""

    def close(self) -> None:
        """Release what the implementation holds, such as its process."""
