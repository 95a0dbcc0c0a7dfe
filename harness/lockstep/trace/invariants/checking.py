"""Checks the history of a run against every invariant that applies to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.trace.cluster_state import ClusterState
from lockstep.trace.invariants.base import CONDITIONS, MOST_OF_EACH, Invariant, Violation
from lockstep.trace.invariants.hpa_status import HPA_INVARIANTS
from lockstep.trace.invariants.replicaset import REPLICASET_INVARIANTS
from lockstep.trace.invariants.vpa import VPA_INVARIANTS
from lockstep.trace.symbols import milliseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lockstep.trace.history import History


def check(history: History, now: int, settled: bool, broken: Collection[str] = ()) -> list[Violation]:
    """The first breaches of each invariant in a run that ended at `now` (ns).

    `broken`: the `CONDITIONS` that the scenario breaks. Raises ValueError on an unknown one.
    """
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
