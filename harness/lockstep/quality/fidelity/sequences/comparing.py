"""Running sequences on both servers, comparing them, and shrinking the first difference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lockstep.quality.fidelity.client import Api
from lockstep.quality.fidelity.compare import Difference, differences
from lockstep.quality.fidelity.excuses import sort_out
from lockstep.quality.fidelity.memory import MemoryTransport
from lockstep.quality.fidelity.normalise import comparable
from lockstep.quality.fidelity.sequences.operations import Operation, Run
from lockstep.quality.fidelity.sequences.strategies import sequences
from lockstep.quality.fidelity.targets import Target, open_target
from lockstep.quality.fidelity.transcript import Transcript

#: Sequences that run at a time: a real server mostly waits for its store.
_IN_FLIGHT = 12
#: Groups that are drawn from one seed before the next seed is taken, since drawing gets slower.
_GROUPS = 50
#: Seconds: events arrive within milliseconds, and expected ones are waited for.
_QUIET = 0.02
_MOST_FINDINGS = 5
#: The name of sequences in excuses.
_NAME = "sequences"
_Operations = Sequence[Operation]


@dataclass(frozen=True, slots=True)
class Finding:
    """The smallest sequence found that shows a difference."""

    requests: list[str]
    differences: list[Difference]


@dataclass(slots=True)
class Result:
    """What has been compared so far."""

    sequences: int = 0
    requests: int = 0
    events: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Sequences a second."""
        return self.sequences / self.seconds if self.seconds else 0.0


def compare_sequences(
    count: int, seed_: int, note: Callable[[str], object], on_group: Callable[[Result], object]
) -> Result:
    """Draw and compare `count` sequences, or fewer if many differ. Each kind of difference is shrunk once.

    Raises FidelityError.
    """
    result = Result()
    started = time.monotonic()
    with open_target("control-plane", note, quiet=_QUIET) as real, ThreadPoolExecutor(_IN_FLIGHT) as pool:

        def compare(group: list[_Operations]) -> None:
            if _enough(result) or result.sequences >= count:
                return
            found = list(pool.map(lambda one: _differences(one, real, result), group))
            for operations, different in zip(group, found, strict=True):
                if different and not _enough(result) and not _known(different, result):
                    note(f"shrinking a difference: {different[0].path}  {different[0].step}")
                    result.findings.append(_shrunk(operations, real, different))
            result.sequences += len(group)
            result.seconds = time.monotonic() - started
            on_group(result)

        part = 0
        while result.sequences < count and not _enough(result):
            _draw(f"{seed_}/{part}", min(_IN_FLIGHT, count - result.sequences), compare)
            part += 1
    return result


def _enough(result: Result) -> bool:
    return len(result.findings) >= _MOST_FINDINGS


def _known(found: list[Difference], result: Result) -> bool:
    """Whether the first field that differs is in another finding already, in any step."""
    known = {_place(one) for finding in result.findings for one in finding.differences}
    return _place(found[0]) in known


def _place(difference: Difference) -> tuple[str, str]:
    return difference.path.lstrip("0123456789"), difference.step.partition("?")[0]


def _draw(name: str, size: int, compare: Callable[[list[_Operations]], None]) -> None:
    """Call `compare` with groups of sequences. Hypothesis only draws, because it cannot replay what several threads
    find.
    """

    @seed(name)
    @settings(
        max_examples=_GROUPS,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(sequences(), min_size=size, max_size=size))
    def draw(group: list[_Operations]) -> None:
        compare(group)

    draw()


def _differences(operations: _Operations, real: Target, result: Result | None = None) -> list[Difference]:
    here = Api(MemoryTransport(), real.next_token())
    counts: list[int] = []
    mine = _transcript(operations, here, counts)
    theirs = _transcript(operations, Api(real.transport(), here.token), counts)
    if result is not None:
        result.requests += len(operations)
        result.events += sum(counts)
    unexplained, _, _ = sort_out(_NAME, "memory", differences(comparable(theirs), comparable(mine)))
    return unexplained


def _transcript(operations: _Operations, api: Api, counts: list[int]) -> Transcript:
    """Carry out a sequence. `counts`: how many events each watch should have; filled in if empty."""
    api.begin()
    run = Run(api)
    for operation in operations:
        run.carry_out(operation)
    if not counts:
        transcript = api.finish()
        counts += [len(step.body) for step in transcript.steps if not step.code]
        return transcript
    return api.finish(counts)


def _shrunk(operations: _Operations, real: Target, found: list[Difference]) -> Finding:
    """Leave out the operations that the difference does not need, one after the other."""
    kept = list(operations)
    for at in range(len(kept) - 1, -1, -1):
        fewer = kept[:at] + kept[at + 1 :]
        different = _differences(fewer, real)
        if different:
            kept, found = fewer, different
    return Finding([str(one) for one in kept], found)
