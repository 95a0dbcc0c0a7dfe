"""What a user asks a run to be: who, where, and held to what."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockstep.environments import ENVIRONMENTS, REAL
from lockstep.environments.options import ClusterOptions
from lockstep.implementations.registry import UsageError, check_spec, parse_spec, release_of, takes_part


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Who runs, where, and what it is held to. `release` names the recordings; `seed` fixes every choice of a run."""

    implementation: str = "reference"
    environment: str = "memory"
    against: str = "recorded"
    release: str = "1.36.3"
    seed: int = 0
    update: bool = False
    ground: ClusterOptions = field(default_factory=ClusterOptions)

    @classmethod
    def parse(
        cls,
        implementation: str = "reference",
        environment: str = "memory",
        against: str = "recorded",
        release: str | None = None,
        seed: int = 0,
        update: bool = False,
        ground: ClusterOptions | None = None,
    ) -> RunConfig:
        """Check what a user wrote. Raises UsageError with one line."""
        if environment not in ENVIRONMENTS:
            raise UsageError(f"unknown environment {environment!r}; known: {', '.join(ENVIRONMENTS)}")
        check_spec(implementation)
        if against not in ("recorded", "none"):
            check_spec(against)
        chosen = release or release_of(implementation) or release_of(against) or "1.36.3"
        if release is not None:
            parse_spec(f"upstream:{release}")
        if update and (takes_part("reference", implementation) or "," in implementation):
            raise UsageError("recordings are taken from upstream only; use --implementation upstream")
        if update and environment in REAL:
            raise UsageError("recordings are taken in memory, where time is exact; leave --environment out")
        return cls(implementation, environment, against, chosen, seed, update, ground or ClusterOptions())
