"""Running trials from outside: a wrong controller may also hang, or end its process."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import lockstep
from lockstep.quality.mutants.catalogue import MutantError
from lockstep.quality.mutants.trial import RED, Answer, Trial
from lockstep.scenarios.declare import SUITE

#: Real seconds for one scenario, with all repetitions. Normally it takes a hundredth of that.
PATIENCE = 30.0
_TAIL = 5


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a trial: every scenario's answer, and `died`, how its process ended if not normally."""

    answers: tuple[Answer, ...]
    died: str = ""

    @property
    def red(self) -> list[Answer]:
        """The scenarios that say that the controller is wrong."""
        return [one for one in self.answers if one.verdict in RED]


class Stage:
    """Runs trials: `lockstep.quality.mutants.trial` in a separate process, started when it is first needed.

    `reference` is a folder with the reference to use, which is loaded again for each trial, or None for the one that is
    installed. A process without output for `patience` seconds of real time is ended, and the next trial gets a new one.
    """

    def __init__(self, reference: Path | None = None, patience: float = PATIENCE, *, suite: bool = True) -> None:
        self._suite = suite
        self._reference = reference
        self._patience = patience
        self._errors = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - closed with the stage
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: Iterator[dict[str, Any]] = iter(())
        self._code = 0  # the exit code of the last trial

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()
        self._errors.close()

    def run(self, trial: Trial) -> Report:
        """Run a trial.

        If its process dies, or is silent for too long, the scenario that was running counts as an error. Raises
        MutantError if it dies before the first scenario.
        """
        before = os.fstat(self._errors.fileno()).st_size
        answers, died = self._listen(self._begun(trial))
        if not died and not _complete(trial, answers):
            died = f"ended with code {self._code}: {self._tail(before)}"
        if answers is None:
            raise MutantError(f"the suite cannot be run with {trial.implementation}: its process {died}")
        if died:
            answers.append(Answer(trial.scenarios[len(answers)], "error", f"the process {died}"))
        return Report(tuple(answers), died)

    def _begun(self, trial: Trial) -> Iterator[dict[str, Any]]:
        """Start the trial in the process. Returns the process's messages."""
        if self._process is None:
            self._process = _process(self._reference, self._errors, suite=self._suite)
            assert self._process.stdout is not None
            self._messages = _messages(self._process.stdout, self._patience)
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it is dead; its last output says why
            self._process.stdin.write(f"{trial.dumps()}\n".encode())
            self._process.stdin.flush()
        return self._messages

    def _listen(self, messages: Iterator[dict[str, Any]]) -> tuple[list[Answer] | None, str]:
        """The answers, or None without a first line, and whether the process went silent."""
        answers: list[Answer] | None = None
        self._code = 0
        try:
            for message in messages:
                if "ended" in message:
                    self._code = message["ended"]
                    return answers, ""
                if answers is None:
                    _check_reference(message["reference"], self._reference)
                    answers = []
                else:
                    answers.append(Answer(**message))
        except TimeoutError:
            self._clear()
            return answers, f"said nothing for {self._patience:g} s of real time"
        except BaseException:
            self._clear()
            raise
        self._clear(wait=True)
        return answers, ""

    def _clear(self, *, wait: bool = False) -> None:
        """End the process and its children; with `wait`, record the code with which it ends by itself."""
        process, self._process = self._process, None
        if process is None:
            return
        if wait:
            self._code = process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(BrokenPipeError), process:  # closes the pipes
            process.kill()

    def _tail(self, start: int) -> str:
        """The end of the process's standard error since `start`."""
        descriptor = self._errors.fileno()
        output = os.pread(descriptor, os.fstat(descriptor).st_size - start, start)
        return " | ".join(output.decode(errors="replace").strip().splitlines()[-_TAIL:])


def _complete(trial: Trial, answers: Sequence[Answer] | None) -> bool:
    if not answers:
        return False
    return len(answers) == len(trial.scenarios) or (trial.fail_fast and answers[-1].verdict in RED)


def _process(reference: Path | None, errors: IO[bytes], *, suite: bool) -> subprocess.Popen[bytes]:
    path = [str(Path(lockstep.__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    if reference is not None:
        path.insert(0, str(reference))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "PYTHONSAFEPATH": "1",  # the current folder must not come before the copy
        "PYTHONDONTWRITEBYTECODE": "1",  # two mutants of one file may share its size and time stamp
    }
    return subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", "lockstep.quality.mutants.trial", *([SUITE] if suite else [])],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,  # so that a child that hangs can be ended with it
    )


def _messages(stream: IO[bytes], patience: float) -> Iterator[dict[str, Any]]:
    """The lines of a pipe, each a JSON object. Raises TimeoutError if a line takes too long."""
    descriptor, pending = stream.fileno(), b""
    while True:
        if not select.select([descriptor], [], [], patience)[0]:
            raise TimeoutError
        arrived = os.read(descriptor, 1 << 16)
        if not arrived:
            return
        *whole, pending = (pending + arrived).split(b"\n")
        yield from map(json.loads, whole)


def _check_reference(loaded: str, reference: Path | None) -> None:
    """Check that the mutant is the one that was loaded; anything else would prove nothing."""
    if reference is not None and not Path(loaded).is_relative_to(reference):
        raise MutantError(f"the reference was loaded from {loaded}, not from the mutant's folder; check PYTHONPATH")
