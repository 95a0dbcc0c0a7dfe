"""What a user asks a run to be: who, where, and held to what. Light to import: reports and options are made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lockstep.environments.options import ClusterOptions

#: What a report says of a run, and what the command repeats that runs it again.
REPORTED = ("implementation", "environment", "against", "release", "seed")


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Who runs, where, and what it is held to. `release` names the recordings; `seed` fixes every choice of a run.

    The defaults are a run's when nothing else is asked for.
    """

    implementation: str = "reference"
    environment: str = "memory"
    against: str = "recorded"
    release: str = "1.36.3"
    seed: int = 0
    update: bool = False
    cluster: ClusterOptions = field(default_factory=ClusterOptions)

    @classmethod
    def parse(cls, *, release: str | None = None, **chosen: Any) -> RunConfig:
        """Check what a user wrote, by the names of the fields. Raises UsageError with one line.

        Without a release, it is the one that an implementation names, else the default.
        """
        from lockstep.environments import ENVIRONMENTS, REAL
        from lockstep.implementations.registry import UsageError, check_spec, parse_spec, takes_part

        config = cls(**chosen)
        if config.environment not in ENVIRONMENTS:
            raise UsageError(f"unknown environment {config.environment!r}; known: {', '.join(ENVIRONMENTS)}")
        check_spec(config.implementation)
        if config.against not in ("recorded", "none"):
            check_spec(config.against)
        if release is not None:
            parse_spec(f"upstream:{release}")
        if config.update and (takes_part("reference", config.implementation) or "," in config.implementation):
            raise UsageError("recordings are taken from upstream only; use --implementation upstream")
        if config.update and config.environment in REAL:
            raise UsageError("recordings are taken in memory, where time is exact; leave --environment out")
        return cls(**chosen, release=release or config.implied_release)

    @property
    def implied_release(self) -> str:
        """The release that a run takes when none is given: one that an implementation names, else the default."""
        from lockstep.implementations.registry import release_of

        return release_of(self.implementation) or release_of(self.against) or RunConfig().release

    @property
    def reported(self) -> dict[str, Any]:
        """What a report says of the run, by the names of the fields."""
        return {name: getattr(self, name) for name in REPORTED}

    @property
    def yardstick(self) -> str:
        """What the run is held to, in words."""
        if self.against == "none":
            return "the scenarios' own assertions only"
        if self.against == "recorded":
            return f"recorded upstream {self.release}"
        return f"{self.against}, run live"

    def lines(self, version: str) -> list[tuple[str, str]]:
        """The header of a run: one fact a line."""
        return [
            ("lockstep", version),
            ("implementation", self.implementation),
            ("environment", "in memory, virtual time" if self.environment == "memory" else self.environment),
            ("against", self.yardstick),
            ("seed", str(self.seed)),
        ]
