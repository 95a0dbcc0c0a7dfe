"""A process that never outlives us, with its log in a file."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from lockstep.clusters.control_plane.errors import ControlPlaneFailed

_GUARD = Path(__file__).with_name("guard.py")
_SHOWN_LINES = 3
_SHOWN_LETTERS = 300
_PATIENCE = 20.0
_TAIL_BYTES = 1 << 14


class Process:
    """A running program under guard (see `guard`).

    `name` for people; `log`: the file that gets both of its outputs; `pid`: the program's own process id, which is also
    that of its process group. If we die without cleaning up, `folders` are removed.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        log: Path,
        *,
        folders: Sequence[Path] = (),
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.log = log
        self._stopped = False
        self._socket, theirs = socket.socketpair()
        guard = [sys.executable, "-I", "-S", str(_GUARD), str(theirs.fileno()), os.pathsep.join(map(str, folders))]
        try:
            with theirs, log.open("ab") as out:
                self._guard = subprocess.Popen(  # noqa: S603 - our guard and one of the programs
                    [*guard, *map(str, command)],
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, **variables},
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,  # a Ctrl-C must reach only us
                )
        except OSError as error:
            self._socket.close()
            raise ControlPlaneFailed(f"cannot start {name}: {error.strerror or error}") from error
        self.pid = self._read_pid()

    def _read_pid(self) -> int:
        self._socket.settimeout(_PATIENCE)
        line = b""
        try:
            while not line.endswith(b"\n") and (more := self._socket.recv(64)):
                line += more
            return int(line)
        except (OSError, ValueError) as error:
            self.stop()
            raise ControlPlaneFailed(f"{self.name} did not start: {self._last_words()}") from error

    @property
    def returncode(self) -> int | None:
        """The exit code, -N after signal N; None while it runs."""
        return self._guard.poll()

    def alive(self) -> bool:
        """Whether it runs."""
        return self._guard.poll() is None

    def death(self) -> str:
        """One line about its end, with the last lines of its log; "" while it runs or if we stopped it."""
        code = self._guard.poll()
        if code is None or self._stopped:
            return ""
        how = f"was killed by signal {_signal_name(-code)}" if code < 0 else f"ended with code {code}"
        return f"{self.name} {how}; its last words: {self._last_words()}"

    def hang_up(self) -> None:
        """Have it killed, without waiting for its end. It holds nothing that needs an orderly end."""
        if self._guard.poll() is None:
            self._stopped = True
        self._socket.close()

    def stop(self) -> None:
        """Kill it and wait for its end. A second call has no effect."""
        self.hang_up()
        try:
            self._guard.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._guard.kill()  # then the kernel kills the program
            self._guard.wait()

    def _last_words(self) -> str:
        lines = [line for line in self.tail().splitlines() if line.strip()]
        return " | ".join(line.strip()[:_SHOWN_LETTERS] for line in lines[-_SHOWN_LINES:]) or "(none)"

    def tail(self) -> str:
        """The end of its log."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - _TAIL_BYTES))
                return file.read().decode(errors="replace")
        except OSError:
            return ""


def _signal_name(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)
