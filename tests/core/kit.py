"""A run of the reference from a scenario body."""

from __future__ import annotations

from typing import Any

from lockstep.environments.memory import RunResult, run_scenario
from lockstep.implementations.reference import Reference
from lockstep.scenarios.declare import Body, Options, Scenario
from lockstep.trace.normalise import Trace, normalise


def scenario_of(body: Body, **fields: object) -> Scenario:
    facts: dict[str, object] = {
        "id": "replicaset/under-test",
        "must": "It MUST.",
        "source": ("test",),
        "options": Options(),
    }
    facts["file"] = body.__code__.co_filename
    return Scenario(**{**facts, **fields}, body=body)  # type: ignore[arg-type]


def play(body: Body, seed: int = 0, **fields: object) -> RunResult:
    return run_scenario(scenario_of(body, **fields), Reference(), seed)


def passing(body: Body, **fields: Any) -> RunResult:
    result = play(body, **fields)
    trouble = result.failure or result.error
    assert not trouble, trouble
    return result


def trace_of(result: RunResult) -> Trace:
    return normalise(result.history, result.start_instant)
