"""A run ends before its time: it says why, nothing of it is left, and the next run works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import hear_interrupts, until

pytestmark = pytest.mark.control_plane

_SCENARIO = "replicaset/never-takes-an-owned-pod"
#: Goes on for a minute.
_LONG = "replicaset/adopts-orphan-that-starts-to-match"
_RUN = [sys.executable, "-m", "lockstep.cli", "run", "--environment", "control-plane", "--implementation", "upstream"]
#: What only the program under test is called with.
_UNDER_TEST = "--controllers=replicaset-controller"
_SHARED = Path("/dev/shm")  # noqa: S108 - where etcd keeps its data, if it can


def _processes() -> dict[int, tuple[int, str]]:
    """Of each process that runs: its parent, and its command line."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(") ", 1)[1].split()
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):  # it ends while we read
            continue
        if fields[0] != "Z":
            found[int(folder.name)] = int(fields[1]), words
    return found


def _below(root: int) -> dict[int, str]:
    """The command lines of all that a process has started, by process id."""
    running = _processes()
    found: dict[int, str] = {}
    level = {root}
    while level:
        level = {pid for pid, (parent, _) in running.items() if parent in level}
        found |= {pid: running[pid][1] for pid in level}
    return found


def _program(root: int, name: str) -> int | None:
    """The process id of a program below `root`, once it runs under its guard."""
    for pid, words in _below(root).items():
        called = words.split(" ", 1)[0]
        if "guard.py" not in words and (called.endswith(f"/{name}") or name in words.split()):
            return pid
    return None


def _left(folder: Path) -> set[str]:
    return {one.name for where in (folder, _SHARED) if where.is_dir() for one in where.glob("lockstep-*")}


@pytest.fixture
def folder() -> Iterator[Path]:
    """For temporary files of the run: not pytest's own, whose path is too long for a socket."""
    with tempfile.TemporaryDirectory(prefix="deaths-") as made:
        yield Path(made)


@contextmanager
def _run(scenario: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run as soon as its program under test has come up; afterwards, nothing of it may be left but logs."""
    before = _left(folder)
    command, variables = [*_RUN, scenario], {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(
        command,
        text=True,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - no locks are taken in it
    ) as run:
        until(lambda: _program(run.pid, _UNDER_TEST) is not None, "the program under test", 60)
        started = _below(run.pid)
        yield run
    until(lambda: not set(started) & set(_processes()), "the end of all processes", 10)
    assert {one for one in _left(folder) - before if "logs" not in one} == set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_at_once(number: signal.Signals, folder: Path) -> None:
    before = _left(folder)
    with _run(_LONG, folder) as run:
        run.send_signal(number)
        out, err = run.communicate(timeout=15)  # far less than the scenario takes
    assert run.returncode == 128 + number
    assert "Traceback" not in out + err
    assert _left(folder) - before == set()


@pytest.mark.parametrize("name", ["etcd", "kube-apiserver", _UNDER_TEST])
def test_a_run_whose_program_is_killed_says_so_and_leaves_nothing(name: str, folder: Path) -> None:
    with _run(_SCENARIO, folder) as run:
        victim = _program(run.pid, name)
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
        out, err = run.communicate(timeout=60)
    assert run.returncode in (1, 2)
    assert "Traceback" not in out + err
    said = [line for line in (out + err).splitlines() if "was killed by signal 9 (SIGKILL)" in line]
    assert said, out + err
    again = subprocess.run(
        [*_RUN, _SCENARIO], capture_output=True, text=True, env={**os.environ, "TMPDIR": str(folder)}, check=False
    )
    assert again.returncode == 0, again.stdout
    assert "green: 1 scenario judged" in again.stdout
