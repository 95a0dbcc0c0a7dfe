"""Invariants: what must hold in every run, whatever the scenario. Pure functions over a history.

Each invariant carries its sentence, its source, and the conditions that it needs. Caches that lag, restarts and refused
requests make some of them fail for upstream as well, by design: a scenario that brings such a fault says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from harness.clock import SECOND
from harness.trace.cluster_state import ClusterState
from harness.trace.symbols import milliseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from harness.options import Options
    from harness.trace.history import History, Write

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


def check(history: History, now: int, settled: bool, broken: Collection[str] = ()) -> list[Violation]:
    """The first breaches of each invariant in a run that ended at `now` (ns).

    `broken`: the `CONDITIONS` that the scenario does not keep. Raises ValueError on one that does not exist.
    """
    from harness.trace.invariants_hpa_status import HPA_INVARIANTS
    from harness.trace.invariants_replicaset import REPLICASET_INVARIANTS
    from harness.trace.invariants_vpa import VPA_INVARIANTS

    unknown = sorted(set(broken) - set(CONDITIONS))
    if unknown:
        raise ValueError(f"unknown condition {unknown[0]!r}; known: {', '.join(CONDITIONS)}")
    invariants = [
        make()
        for make in (*REPLICASET_INVARIANTS, *HPA_INVARIANTS, *VPA_INVARIANTS)
        if make.actor in history.controllers and not any(need in broken for need in make.needs)
    ]
    for one in invariants:
        one.options = history.options
    seen: dict[str, int] = {}
    kept = []
    for violation in _violations(invariants, history, now, settled) if invariants else ():
        seen[violation.invariant] = seen.get(violation.invariant, 0) + 1
        if seen[violation.invariant] <= MOST_OF_EACH:
            kept.append(violation)
    return kept


def _violations(invariants: list[Invariant], history: History, now: int, settled: bool) -> Iterator[Violation]:
    state, last = ClusterState(), None
    world = [one for one in invariants if one.sees_world]
    followers = {
        actor: [one for one in invariants if one.sees_world or one.actor == actor] for actor in history.controllers
    }
    for write in history:
        if last is not None and milliseconds(write.at) != milliseconds(last):
            for one in invariants:
                yield from _breaches(one, last, one.on_instant_end(last, write.at, state))
        last = write.at
        state.apply(write)
        for one in followers.get(write.actor, world):
            yield from _breaches(one, write.at, one.on_write(write, state))
    for one in invariants:
        if last is not None:
            yield from _breaches(one, last, one.on_instant_end(last, now, state))
        yield from _breaches(one, now, one.on_end(now, settled, state))


def _breaches(invariant: Invariant, at: int, texts: Iterator[str]) -> Iterator[Violation]:
    return (Violation(invariant.name, invariant.must, at, text) for text in texts)
