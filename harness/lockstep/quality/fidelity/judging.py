"""Running scenarios on a target, and judging the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lockstep.quality.fidelity.client import Api
from lockstep.quality.fidelity.compare import Difference, differences
from lockstep.quality.fidelity.declaring import ApiScenario
from lockstep.quality.fidelity.excuses import Excuse, sort_out
from lockstep.quality.fidelity.normalise import comparable
from lockstep.quality.fidelity.targets import Target
from lockstep.quality.fidelity.wire import FidelityError

EQUAL, EXCUSED, DIFFERS = "equal", "excused", "differs"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one scenario on one target."""

    scenario: ApiScenario
    target: str
    steps: int
    #: Differences that no excuse covers.
    differences: list[Difference] = field(default_factory=list)
    excuses: list[Excuse] = field(default_factory=list)
    #: Excuses that should have covered a difference here, and did not.
    stale: list[Excuse] = field(default_factory=list)

    @property
    def state(self) -> str:
        """EQUAL, EXCUSED or DIFFERS."""
        if self.differences or self.stale:
            return DIFFERS
        return EXCUSED if self.excuses else EQUAL


def transcript_of(scenario: ApiScenario, target: Target) -> list[dict[str, Any]]:
    """Run a scenario. Returns its normalised transcript. Raises FidelityError."""
    api = Api(target.transport(), target.next_token())
    try:
        api.begin()
        scenario.body(api)
        return comparable(api.finish())
    except FidelityError as error:
        raise FidelityError(f"{scenario.id} on {target.name}: {error}") from error
    finally:
        if target.shared:
            api.clean_up()


def judge(scenario: ApiScenario, target: str, real: list[dict[str, Any]], here: list[dict[str, Any]]) -> Verdict:
    """Compare a target's transcript with the real server's."""
    unexplained, used, stale = sort_out(scenario.id, target, differences(real, here))
    return Verdict(scenario, target, len(here), unexplained, used, stale)


def compare_strictly(
    scenario: ApiScenario, target: str, real: list[dict[str, Any]], here: list[dict[str, Any]]
) -> Verdict:
    """As `judge`, for a target that is a real server: no difference is excused."""
    return Verdict(scenario, target, len(here), differences(real, here))


def on_target(scenarios: Sequence[ApiScenario], target: Target) -> list[ApiScenario]:
    """The scenarios that a target can run."""
    return [one for one in scenarios if target.http or not one.over_http]


def verdict_on(scenario: ApiScenario, target: Target, real: list[dict[str, Any]]) -> Verdict:
    """Run a scenario on a target and compare it with the real server's answers. Raises FidelityError."""
    held = compare_strictly if target.real else judge
    return held(scenario, target.name, real, transcript_of(scenario, target))
