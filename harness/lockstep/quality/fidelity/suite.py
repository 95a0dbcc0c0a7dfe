"""The whole suite: which scenarios run, on which target, compared with what; and taking the recordings."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from lockstep import __version__
from lockstep.quality.fidelity import recordings
from lockstep.quality.fidelity.declaring import ApiScenario, load
from lockstep.quality.fidelity.judging import Verdict, on_target, transcript_of, verdict_on
from lockstep.quality.fidelity.targets import Target, open_target
from lockstep.quality.fidelity.wire import FidelityError

Note = Callable[[str], object]


def selected(patterns: Sequence[str]) -> list[ApiScenario]:
    """The scenarios that match one of the patterns; all of them without any. Raises FidelityError if none does."""
    found = [one for one in load() if not patterns or any(fnmatch.fnmatch(one.id, text) for text in patterns)]
    if not found:
        raise FidelityError(f"no scenario matches {' '.join(patterns)}; their ids look like versions/stale-put")
    return found


def recorded(scenario: ApiScenario) -> list[dict[str, Any]]:
    """The real server's recorded answers. Raises FidelityError."""
    steps = recordings.load(scenario.topic).get(scenario.id)
    if steps is None:
        raise FidelityError(f"{scenario.id} has no recording; take it with `lockstep fidelity --record`")
    return steps


def judged(scenarios: Sequence[ApiScenario], target: str, against: str, note: Note) -> Iterator[Verdict]:
    """Run scenarios on a target and judge them one after the other. Raises FidelityError."""
    with ExitStack() as stack:
        here = stack.enter_context(open_target(target, note))
        real: Target | None = None
        if against == "control-plane":
            real = stack.enter_context(open_target("control-plane", note))
        for scenario in on_target(scenarios, here):
            held = recorded(scenario) if real is None else transcript_of(scenario, real)
            yield verdict_on(scenario, here, held)


def record(note: Note) -> list[tuple[str, int]]:
    """Take every recording again, from a control plane of our own. Returns the files written. Raises FidelityError."""
    written = []
    with open_target("control-plane", note) as real:
        provenance = {
            "server": f"kube-apiserver {real.version()}",
            "release": recordings.RELEASE,
            "harness_version": __version__,
            "recorded": datetime.now(tz=UTC).date().isoformat(),
        }
        for topic, scenarios in groupby(load(), lambda one: one.topic):
            note(f"recording {topic}")
            steps = {one.id: transcript_of(one, real) for one in scenarios}
            path = recordings.save(topic, steps, provenance)
            written.append((path.name, len(steps)))
    return written
