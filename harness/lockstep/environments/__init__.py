"""The environments that controllers run in, and the interface that a run needs.

`memory` is the in-memory API server on virtual time. The others have a real API server and the machine's clock:
`control-plane` starts one without containers, `kind` starts a cluster of containers, and `kubeconfig` uses an existing
cluster.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lockstep.environments.memory import RunResult
    from lockstep.implementations import Implementation
    from lockstep.scenarios.declare import Scenario

#: The environments that a run can use.
ENVIRONMENTS = ("memory", "control-plane", "kind", "kubeconfig")
#: Those with a real API server.
REAL = frozenset(ENVIRONMENTS) - {"memory"}


class Environment(AbstractContextManager["Environment"], Protocol):
    """Runs scenarios. Open it around all runs of a session."""

    #: Whether time is the machine's. If so, summaries are compared instead of traces.
    real: bool

    def implementation(self, spec: str, release: str) -> Implementation:
        """Prepare an implementation to run here. Raises UsageError for one that cannot run here."""

    def run(self, scenario: Scenario, implementation: Implementation, seed: int) -> RunResult:
        """Run a scenario. Errors of the scenario or a controller are in the result, not raised. May be called by
        several threads if `real`.
        """

    def abandon(self) -> None:
        """End the runs of all other threads. Their results are no longer needed, and nothing runs after this."""
