"""Running trials from outside: a controller that is wrong may also hang, or take its process with it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import harness
from harness.mutants.errors import MutantError
from harness.mutants.trial import RED, Answer, Trial

#: Real seconds that one scenario may take, all repetitions included. An unhindered one takes a hundredth of that.
PATIENCE = 30.0
_TAIL = 5


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a trial: every scenario's answer, and `died`, how the process ended if not by itself."""

    answers: tuple[Answer, ...]
    died: str = ""

    @property
    def red(self) -> list[Answer]:
        """The scenarios that say that the controller is wrong."""
        return [one for one in self.answers if one.verdict in RED]


def run(trial: Trial, reference: Path | None = None, patience: float = PATIENCE) -> Report:
    """Run a trial in a fresh process; `reference` is a folder with the reference to use.

    If the process dies, or is silent for `patience` seconds, the scenario it was at is an error. Raises MutantError if
    it dies before the first scenario.
    """
    with tempfile.TemporaryFile("w+") as errors, _process(reference, errors) as process:
        try:
            answers, died = _listen(process, trial, reference, patience)
            if not died and not _complete(trial, answers):
                errors.seek(0)
                tail = " | ".join(errors.read().strip().splitlines()[-_TAIL:])
                died = f"ended with code {process.wait()}: {tail}"
        finally:
            process.kill()
    if answers is None:
        raise MutantError(f"the suite cannot be run with {trial.implementation}: its process {died}")
    if died:
        answers.append(Answer(trial.scenarios[len(answers)], "error", f"the process {died}"))
    return Report(tuple(answers), died)


def _listen(
    process: subprocess.Popen[bytes], trial: Trial, reference: Path | None, patience: float
) -> tuple[list[Answer] | None, str]:
    """The answers, None if not even the first line came, and whether the process went silent."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(trial.dumps().encode())
    process.stdin.close()
    answers: list[Answer] | None = None
    try:
        for line in _lines(process.stdout, patience):
            if answers is None:
                _check_reference(json.loads(line)["reference"], reference)
                answers = []
            else:
                answers.append(Answer(**json.loads(line)))
    except TimeoutError:
        return answers, f"said nothing for {patience:g} s of real time"
    return answers, ""


def _complete(trial: Trial, answers: Sequence[Answer] | None) -> bool:
    if not answers:
        return False
    return len(answers) == len(trial.scenarios) or (trial.fail_fast and answers[-1].verdict in RED)


def _process(reference: Path | None, errors: IO[str]) -> subprocess.Popen[bytes]:
    path = [str(Path(harness.__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    if reference is not None:
        path.insert(0, str(reference))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "PYTHONSAFEPATH": "1",  # the folder one stands in must not come before the copy
        "PYTHONDONTWRITEBYTECODE": "1",  # two mutants of one file may share its size and time stamp
    }
    return subprocess.Popen(
        [sys.executable, "-m", "harness.mutants.trial"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
    )


def _lines(stream: IO[bytes], patience: float) -> Iterator[str]:
    """The lines of a pipe. Raises TimeoutError if one keeps us waiting."""
    descriptor, pending = stream.fileno(), b""
    while True:
        if not select.select([descriptor], [], [], patience)[0]:
            raise TimeoutError
        arrived = os.read(descriptor, 1 << 16)
        if not arrived:
            return
        *whole, pending = (pending + arrived).split(b"\n")
        yield from (line.decode() for line in whole)


def _check_reference(loaded: str, reference: Path | None) -> None:
    """A mutant that is not the one that runs would prove nothing."""
    if reference is not None and not Path(loaded).is_relative_to(reference):
        raise MutantError(f"the reference was loaded from {loaded}, not from the mutant's folder; check PYTHONPATH")
