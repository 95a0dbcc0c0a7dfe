"""Invariants: what must hold in every run, whatever the scenario. Pure functions over a history.

Each invariant has its sentence, its source, and the conditions that it needs. With stale caches, restarts or refused
requests even upstream breaks some of them, by design. So a fault that a scenario injects breaks a condition, and the
invariants that need it are not checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from lockstep.time.clock import SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lockstep.controllers.options import Options
    from lockstep.trace.cluster_state import ClusterState
    from lockstep.trace.history import Write

#: No watch is delayed, held back or cut, and no list is answered from an old state.
FRESH_CACHES: Final = "fresh-caches"
#: No controller under test is stopped or restarted.
NO_RESTART: Final = "no-restart"
#: No fault makes a request of a controller under test fail or wait.
PROMPT_ANSWERS: Final = "prompt-answers"
#: How many breaches of one invariant are reported.
MOST_OF_EACH: Final = 3
CONDITIONS: Final = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of one invariant."""

    invariant: str
    must: str
    #: Nanoseconds since the virtual epoch.
    at: int
    #: What the controller did, and to which object.
    what: str

    def __str__(self) -> str:
        return f"invariant {self.invariant} is broken at {self.at / SECOND:.3f} s: {self.what}\n  Rule: {self.must}"


class Invariant:
    """Follows a run and yields one text for each breach. Each run needs a new instance."""

    name: ClassVar[str]
    #: The rule in one MUST sentence.
    must: ClassVar[str]
    #: The upstream file and function that the rule comes from, or the issue that it would have caught.
    source: ClassVar[str]
    #: The conditions that it needs; if one is broken, it is not checked.
    needs: ClassVar[tuple[str, ...]] = ()
    #: The actor it is about.
    actor: ClassVar[str]

    #: Whether it follows the writes of all actors, or only those of its own.
    sees_world: ClassVar[bool] = False
    #: The configuration of the controllers; None: unknown.
    options: Options | None = None

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        """A write, and the state after it."""
        yield from ()

    def on_instant_end(self, at: int, following: int, state: ClusterState) -> Iterator[str]:
        """The last write of the instant `at` (ns) is done. There is no other write until `following` (ns)."""
        yield from ()

    def on_end(self, now: int, settled: bool, state: ClusterState) -> Iterator[str]:
        """The run ended at `now`. `settled`: faults had stopped, and no work was left."""
        yield from ()
