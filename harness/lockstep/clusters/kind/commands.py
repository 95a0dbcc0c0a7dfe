"""Running programs of others. They are quiet unless they fail, and never outlive us.

A program gets its own session, and the kernel kills it if we are killed. Whatever ends our wait for it, such as
Ctrl-C, ends it and all programs that it started.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lockstep.clusters.kind import KindFailed

_SHOWN = 400  # characters of a program's output
_GRACE = 10.0  # seconds for a program to clean up
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True)
class Ended:
    """A program's exit code, standard output and standard error."""

    code: int
    output: str
    complaint: str

    @property
    def reason(self) -> str:
        """The end of its output, in one line, for messages."""
        output = " ".join((self.complaint.strip() or self.output.strip()).split())
        return f"...{output[-_SHOWN:]}" if len(output) > _SHOWN else output or "(it said nothing)"


def need(program: str, why: str) -> str:
    """The path of a program. Raises KindFailed, which says `why` it is needed, such as "apt-get install jq"."""
    path = shutil.which(program)
    if path is None:
        raise KindFailed(f"there is no `{program}` on PATH, {why}")
    return path


def attempt(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: IO[bytes] | None = None,
) -> Ended:
    """Run a program to its end, whatever its exit code. Raises KindFailed only if it cannot be started."""
    with tempfile.TemporaryFile("w+b") as output, tempfile.TemporaryFile("w+b") as complaint:
        try:
            process = subprocess.Popen(  # noqa: S603 - what to run is for the callers to say
                [str(word) for word in command],
                cwd=cwd,
                env=environment,
                stdin=stdin or subprocess.DEVNULL,
                stdout=output,
                stderr=complaint,
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - one system call, no lock
            )
        except OSError as error:
            raise KindFailed(f"cannot start {command[0]}: {error}") from error
        try:
            code = process.wait()
        finally:
            end_group(process)
        return Ended(code, _read(output), _read(complaint))


def run(
    command: Sequence[str | Path],
    what: str,
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: IO[bytes] | None = None,
) -> str:
    """Run a program that must succeed, and return its standard output. Raises KindFailed: its message says that `what`
    failed, and why.
    """
    ended = attempt(command, cwd=cwd, environment=environment, stdin=stdin)
    if ended.code != 0:
        name = Path(str(command[0])).name
        raise KindFailed(f"{what} failed: {name} ended with code {ended.code} and said: {ended.reason}")
    return ended.output


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started: with SIGTERM first, then with SIGKILL."""
    for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, None)):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue


def _die_with_parent() -> None:
    if sys.platform == "linux":  # other systems cannot do this
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
