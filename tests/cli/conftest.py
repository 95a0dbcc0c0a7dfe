"""The command line over a fake runner."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lockstep.cli import main
from lockstep.project import index, loading
from tests.fakes import runner


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def lockstep(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line: `lockstep("run", "x", scenarios=[ids])`."""
    monkeypatch.setitem(sys.modules, "lockstep.runs.runner", runner.as_module())

    def run(*arguments: Any, scenarios: tuple[str, ...] = ("replicaset/passes",)) -> Result:
        monkeypatch.setattr(loading, "load", loading.load)  # both come back at the end
        monkeypatch.setattr(index, "suite_entries", index.suite_entries)
        runner.stand_in(runner.declare(*scenarios))
        code = main([str(one) for one in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run
