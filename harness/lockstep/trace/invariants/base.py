"""Invariants: what must hold in every run, whatever the scenario. Pure functions over a history.

Each invariant carries its sentence, its source, and the conditions that it needs. Caches that lag, restarts and refused
requests make some of them fail for upstream as well, by design: a scenario that brings such a fault says so.
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

#: No watch is delayed, held back or cut, and no list is answered from the past.
FRESH_CACHES: Final = "fresh-caches"
#: No controller under test is stopped or restarted.
NO_RESTART: Final = "no-restart"
#: No fault makes a request of a controller under test fail or wait.
PROMPT_ANSWERS: Final = "prompt-answers"
#: How many breaches of one invariant are worth reading.
MOST_OF_EACH: Final = 3
CONDITIONS: Final = (FRESH_CACHES, NO_RESTART, PROMPT_ANSWERS)


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of one invariant."""

    invariant: str
    must: str
    #: Nanoseconds since the virtual epoch.
    at: int
    #: What was done, and to what.
    what: str

    def __str__(self) -> str:
        return f"invariant {self.invariant} is broken at {self.at / SECOND:.3f} s: {self.what}\n  Rule: {self.must}"


class Invariant:
    """Follows a run and yields one text for each breach. An instance serves one run."""

    name: ClassVar[str]
    #: The rule in one MUST sentence.
    must: ClassVar[str]
    #: The upstream file and function it comes from, or the issue that it would have caught.
    source: ClassVar[str]
    #: The conditions without which it need not hold.
    needs: ClassVar[tuple[str, ...]] = ()
    #: The actor it is about.
    actor: ClassVar[str]

    #: Whether it follows the writes of everyone, rather than those of its actor only.
    sees_world: ClassVar[bool] = False
    #: How the controllers were configured; None: nobody knows.
    options: Options | None = None

    def on_write(self, write: Write, state: ClusterState) -> Iterator[str]:
        """A write; `state` is the one after it."""
        yield from ()

    def on_instant_end(self, at: int, following: int, state: ClusterState) -> Iterator[str]:
        """The last write of an instant, at `at` (ns), is done; until `following` (ns) nobody writes anything."""
        yield from ()

    def on_end(self, now: int, settled: bool, state: ClusterState) -> Iterator[str]:
        """The run ended at `now`. `settled`: faults had stopped, and nothing was left to happen."""
        yield from ()
