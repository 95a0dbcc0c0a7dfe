"""Makes recordings: what upstream does in a scenario, with all variants that several runs show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.runs.judge import VARIANT_RUNS, NotPassed
from lockstep.trace import recordings

if TYPE_CHECKING:
    from lockstep.runs.outcome import Outcome
    from lockstep.trace.model import Trace
    from lockstep.trace.recordings import Provenance


def record(
    folder: Path, first: Trace, again: Callable[[], Trace], provenance: Callable[[], Provenance], outcome: Outcome
) -> None:
    """Record the scenario of `outcome` in the folder of recordings: `first`, and what it does when it is run `again`.

    `provenance` is called after the runs. Notes in `outcome` how many variants there are, or why nothing was
    recorded. Raises RecordingRefused.
    """
    variants = {first.digest(): first}
    try:
        for _ in range(VARIANT_RUNS - 1):
            trace = again()
            variants.setdefault(trace.digest(), trace)
    except NotPassed as problem:
        outcome.verdict, outcome.message = "error", f"{problem}; nothing was recorded"
        return
    outcome.variants = len(variants)
    recordings.save(
        folder,
        scenario_id=outcome.scenario.id,
        must=outcome.scenario.must,
        provenance=provenance(),
        variants=[variants[key] for key in sorted(variants)],
    )
