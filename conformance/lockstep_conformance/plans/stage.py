"""What the steps of an autoscaler's plan act on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from lockstep import Cluster
from lockstep_conformance.plans.playing import Step


class Ends(Protocol):
    """Something that lasts until it is stopped."""

    def stop(self) -> None:
        """End it."""


@dataclass(slots=True)
class Stage:
    """The cluster, its metric series, and its metric faults, both in the order in which they were added."""

    cluster: Cluster
    signals: list[Ends] = field(default_factory=list)
    troubles: list[Ends] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Undo:
    """Ends something by a call."""

    undo: Callable[[], object]

    def stop(self) -> None:
        """Make the call."""
        self.undo()


Action = Callable[[Stage, Step], Awaitable[None]]


def on_cluster(action: Callable[[Cluster, Step], Awaitable[None]]) -> Action:
    """A step that needs only the cluster, like those in plans of the ReplicaSet controller."""

    async def act(stage: Stage, step: Step) -> None:
        await action(stage.cluster, step)

    return act
