"""A program under guard ends with those who started it, however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lockstep.clusters.control_plane import ControlPlaneFailed
from lockstep.clusters.control_plane.processes import Process

_SHELL = "/bin/sh"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def start(log: Path) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def start(*command: str) -> Process:
        started.append(Process("it", command, log))
        return started[-1]

    yield start
    for process in started:
        process.stop()


def _gone(pid: int) -> bool:
    """Whether a process has ended, or does within a few seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0]
        except (FileNotFoundError, ProcessLookupError):  # it ends while we read
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def _ended(process: Process) -> str:
    deadline = time.monotonic() + 10
    while process.alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    return process.death()


def test_it_runs_in_a_process_group_of_its_own_and_logs_both_outputs(start: Callable[..., Process], log: Path) -> None:
    process = start(_SHELL, "-c", "echo out; echo err >&2; exec sleep 100")
    assert process.alive()
    assert process.death() == ""
    assert os.getpgid(process.pid) == process.pid != os.getpgid(0)
    deadline = time.monotonic() + 10
    while log.read_text() != "out\nerr\n":
        assert time.monotonic() < deadline, log.read_text()


def test_stopped_it_is_gone_and_that_is_no_failure(start: Callable[..., Process]) -> None:
    process = start("/bin/sleep", "100")
    process.stop()
    assert not process.alive()
    assert process.death() == ""
    assert _gone(process.pid)
    process.stop()


def test_its_whole_group_is_killed(start: Callable[..., Process], log: Path) -> None:
    process = start(_SHELL, "-c", "sleep 100 & echo $!; wait")
    deadline = time.monotonic() + 10
    while not log.read_text().endswith("\n"):
        assert time.monotonic() < deadline
    process.stop()
    assert _gone(int(log.read_text()))


def test_an_end_by_itself_says_code_and_last_words(start: Callable[..., Process]) -> None:
    process = start(_SHELL, "-c", "for i in 1 2 3 4; do echo line $i; done; exit 7")
    assert _ended(process) == "it ended with code 7; its last words: line 2 | line 3 | line 4"
    assert process.returncode == 7


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_a_signal_is_named(start: Callable[..., Process], number: signal.Signals) -> None:
    process = start("/bin/sleep", "100")
    os.kill(process.pid, number)
    assert _ended(process) == f"it was killed by signal {number:d} ({number.name}); its last words: (none)"


def test_what_cannot_be_run_says_why(start: Callable[..., Process], tmp_path: Path) -> None:
    process = start(str(tmp_path / "nothing"))
    assert _ended(process).endswith(f"cannot start {tmp_path / 'nothing'}: No such file or directory")


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(ControlPlaneFailed, match="cannot start it: No such file or directory"):
        Process("it", ["/bin/sleep", "100"], tmp_path / "no/folder")


def test_it_dies_with_its_guard(start: Callable[..., Process]) -> None:
    process = start("/bin/sleep", "100")
    os.kill(process._guard.pid, signal.SIGKILL)
    assert _gone(process.pid)
    assert "signal 9" in _ended(process)


_OWNER = """
    import os, sys
    from pathlib import Path
    from lockstep.clusters.control_plane.processes import Process
    process = Process("it", ["/bin/sleep", "100"], Path(sys.argv[1], "log"), folders=[Path(sys.argv[1], "kept")])
    held = {held} and os.fork()
    if held or not {held}:
        print(process.pid, os.getpid() if not held else held, flush=True)
    {then}
"""


def _owner(folder: Path, then: str, *, held: bool = False) -> tuple[subprocess.Popen[str], int, int]:
    """A Python that starts a process and then follows instructions; `held`: a fork of it holds all its files."""
    (folder / "kept").mkdir()
    (folder / "kept/file").touch()
    script = textwrap.dedent(_OWNER).format(then=then, held=held)
    owner = subprocess.Popen([sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid, fork = map(int, owner.stdout.readline().split())
    return owner, pid, fork


def _removed(folder: Path) -> bool:
    deadline = time.monotonic() + 10
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not folder.exists()


@pytest.mark.parametrize("held", [False, True])
def test_it_dies_with_an_owner_killed_by_minus_nine(tmp_path: Path, held: bool) -> None:
    owner, pid, fork = _owner(tmp_path, "import time; time.sleep(100)", held=held)
    try:
        owner.kill()
        owner.wait()
        assert _gone(pid)
        assert _removed(tmp_path / "kept")
    finally:
        if held:
            os.kill(fork, signal.SIGKILL)
        assert owner.stdout is not None
        owner.stdout.close()


def test_it_dies_with_an_owner_that_forgets_it(tmp_path: Path) -> None:
    owner, pid, _ = _owner(tmp_path, "sys.exit(0)")
    with owner:
        assert owner.wait(20) == 0
    assert _gone(pid)
