"""The configuration of a run: implementation, environment and comparison. Cheap to import for reports and options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lockstep.environments.options import ClusterOptions

#: The fields that a report shows, and that the command to repeat the run has as options.
REPORTED = ("implementation", "environment", "against", "release", "seed")


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What runs, where, and against what. `release` names the recordings; `seed` fixes every choice of a run.

    The defaults hold where the user sets nothing else.
    """

    implementation: str = "reference"
    environment: str = "memory"
    against: str = "recorded"
    release: str = "1.36.3"
    seed: int = 0
    update: bool = False
    #: How many scenarios run at a time; None: on all processors in memory, and 8 on a real cluster.
    jobs: int | None = None
    cluster: ClusterOptions = field(default_factory=ClusterOptions)

    @classmethod
    def parse(cls, *, release: str | None = None, **chosen: Any) -> RunConfig:
        """Check the user's values, by the names of the fields. Raises UsageError with one line.

        Without a release, the one that an implementation names is used, else the default.
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
        """The facts of the run for a report, by the names of the fields."""
        return {name: getattr(self, name) for name in REPORTED}

    @property
    def yardstick(self) -> str:
        """What the run is compared with, in words."""
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
