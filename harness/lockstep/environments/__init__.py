"""The worlds that controllers act on, and what a run needs of one.

`memory` is the in-memory API server on virtual time. The others have a real API server and the machine's clock:
`control-plane` starts one without containers, `kind` a cluster of containers, `kubeconfig` uses one that is there.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lockstep.environments.memory import RunResult
    from lockstep.implementations import Implementation
    from lockstep.scenarios.declare import Scenario

#: The environments a run can name.
ENVIRONMENTS = ("memory", "control-plane", "kind", "kubeconfig")
#: Those with a real API server.
REAL = frozenset(ENVIRONMENTS) - {"memory"}


class Environment(AbstractContextManager["Environment"], Protocol):
    """Runs scenarios. Open it around all runs of a session."""

    #: Whether time is the machine's: then stories are compared, not traces.
    real: bool

    def implementation(self, spec: str, release: str) -> Implementation:
        """Make an implementation ready to run here. Raises UsageError for one that cannot run here."""

    def run(self, scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        """Run a scenario. Never raises for what it or a controller does. May be called by several threads if `real`."""

    def abandon(self) -> None:
        """End the runs of all other threads: nobody waits for their results any more, and nothing runs after that."""
