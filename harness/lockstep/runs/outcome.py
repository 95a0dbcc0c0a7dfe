"""The verdict on one scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lockstep.scenarios.declare import Scenario


#: Every verdict, in the order of display.
VERDICTS = ("pass", "divergent", "fail", "error", "unsupported")
GREEN = frozenset({"pass", "divergent"})


@dataclass(slots=True)
class Outcome:
    """The verdict on one scenario: pass, fail, divergent (a known, ledgered difference), unsupported or error."""

    scenario: Scenario
    verdict: str
    assertions: int
    writes_compared: int
    virtual_seconds: float
    wall_seconds: float
    message: str = ""
    divergences: tuple[str, ...] = ()
    digest: str = ""
    variants: int = 0

    @property
    def green(self) -> bool:
        """Whether the verdict is `pass` or `divergent`."""
        return self.verdict in GREEN
