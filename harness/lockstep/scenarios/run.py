"""The run of a `Cluster`, as far as a `Cluster` needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lockstep.apiserver import ApiServer
    from lockstep.metrics import Metrics
    from lockstep.network import Network
    from lockstep.network.webhooks import Webhooks
    from lockstep.prometheus import Prometheus
    from lockstep.time.loop import VirtualLoop
    from lockstep.trace.history import History
    from lockstep.world import World


class Run(Protocol):
    """One scenario's cluster, clock and controllers. `lockstep.environments` puts them together."""

    loop: VirtualLoop
    server: ApiServer
    history: History
    network: Network
    webhooks: Webhooks
    world: World
    metrics: Metrics
    prometheus: Prometheus

    @property
    def controllers_running(self) -> bool:
        """Whether all controllers under test run."""

    def start_controllers(self, names: Sequence[str] = ()) -> None:
        """Start the controllers under test, or those named, unless they run already."""

    def crash_controllers(self, names: Sequence[str] = ()) -> None:
        """Stop the controllers under test, or those named, at once."""

    def last_write(self) -> str:
        """The last write of the history, in words."""
