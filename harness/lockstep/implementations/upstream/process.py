"""One running upstream process, and the frames on its socket.

A frame is one line of JSON followed by raw bytes, so serialised objects are sent unchanged. The two sides take turns:
it sends a frame, we send the reply. Every wait for a frame is limited in real time, and a process that exceeds the
limit is killed. A run has no other real waits.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import IO, Any, Self

import orjson

from lockstep.implementations.upstream.build import Built
from lockstep.implementations.upstream.errors import UpstreamFailed

_PROTOCOL = 3
_STDERR_LINES = 200
_SHOWN_LINES = 8
#: No feature gate differs from its default.
NO_GATES: Mapping[str, bool] = MappingProxyType({})
_FRAMES = frozenset({"ready", "idle", "request", "served", "done"})

# One processor and no garbage collection during a run make the order of goroutines repeatable. The memory limit makes
# Go collect before a long run exhausts the machine. math/rand, where jitter is drawn, must be seedable.
_ENVIRONMENT = {"GOMAXPROCS": "1", "GOGC": "off", "GOMEMLIMIT": "1GiB", "GODEBUG": "randseednop=0", "TZ": "UTC"}


class UpstreamProcess:
    """Runs `command`, and starts it again after `runs_per_process` runs, or after a run that did not end cleanly.

    `patience`: real seconds to wait for a frame. `klog`: verbosity at which upstream logs to its standard error, whose
    last lines are kept. Use it as a context manager, or `close` it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        feature_gates: str = "",
        klog: int | None = None,
        patience: float = 60.0,
        runs_per_process: int = 200,
    ) -> None:
        self._command = list(command)
        self._environment = {**_ENVIRONMENT, "LOCKSTEP_FEATURE_GATES": feature_gates}
        if klog is not None:
            self._environment["LOCKSTEP_KLOG"] = str(klog)
        self._patience = patience
        self._runs_per_process = runs_per_process
        self._runs = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._buffer = bytearray()
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._reader: threading.Thread | None = None
        #: Names of the controllers that the process can start; known once it has started.
        self.controllers: tuple[str, ...] = ()

    @classmethod
    def of(cls, built: Built, *, feature_gates: str = "", **options: Any) -> UpstreamProcess:
        """The process of a build. `feature_gates` ("A=true,B=false") are added to those that the release sets."""
        gates = ",".join(filter(None, (built.feature_gates, feature_gates)))
        command = [str(built.path), "-test.run=^TestServe$", "-test.timeout=0"]
        return cls(command, feature_gates=gates, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- runs ---------------------------------------------------------------------------------------------------------

    def begin_run(self, seed: int, shuffle: int, feature_gates: Mapping[str, bool] = NO_GATES) -> None:
        """Open a bubble. Receive its first frame next, an idle one at instant 0. Raises UpstreamFailed.

        `feature_gates` are for this run only, in addition to those of the process. If the release does not know one,
        the first frame says so. A process that died since its last run is replaced, since no run was lost.
        """
        dead = self._process is not None and self._process.poll() is not None
        if dead or self._runs >= self._runs_per_process:
            self.close()
        if self._process is None:
            self._start()
        self._runs += 1
        order = {"run": True, "seed": seed, "shuffle": shuffle, "feature_gates": dict(feature_gates)}
        self._write(orjson.dumps(order) + b"\n")

    def end_run(self, *, clean: bool) -> None:
        """End a run. An unclean one leaves goroutines behind, so the process is not used again."""
        if not clean:
            self.close()

    # -- frames -------------------------------------------------------------------------------------------------------

    def send(self, wake: int, items: list[dict[str, Any]], bodies: list[bytes]) -> None:
        """Reply to the frame received last. `bodies` belong to those items that have a length, in order."""
        self._write(b"".join([orjson.dumps({"wake": wake, "items": items}), b"\n", *bodies]))

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """The next frame and its body. Raises UpstreamFailed if there is none, or an invalid one."""
        line = self._read_line()
        frame = _parse(line)
        if frame is None:
            raise self._failed(f"sent an invalid frame: {line[:120]!r}")
        length = frame.get("length", 0)
        return frame, self._read_exactly(length) if length else b""

    def _write(self, data: bytes) -> None:
        assert self._socket is not None
        try:
            self._socket.sendall(data)
        except BlockingIOError as error:
            raise self._failed(f"did not read for {self._patience:g} s") from error
        except OSError as error:
            raise self._died() from error

    def _read_line(self) -> bytes:
        buffer = self._buffer
        searched = 0
        while (end := buffer.find(b"\n", searched)) < 0:
            searched = len(buffer)
            self._fill()
        line = bytes(buffer[:end])
        del buffer[: end + 1]
        return line

    def _read_exactly(self, length: int) -> bytes:
        while len(self._buffer) < length:
            self._fill()
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        return body

    def _fill(self) -> None:
        assert self._socket is not None
        try:
            arrived = self._socket.recv(1 << 16)
        except BlockingIOError as error:
            raise self._failed(
                f"sent nothing for {self._patience:g} s of real time: a controller in it may spin"
            ) from error
        except ConnectionError as error:
            raise self._died() from error
        if not arrived:
            raise self._died()
        self._buffer += arrived

    # -- life and death -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        limit = struct.pack("ll", int(self._patience), int(self._patience % 1 * 1e6))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):  # cheaper than a poll before every read
            ours.setsockopt(socket.SOL_SOCKET, option, limit)
        self._stderr.clear()
        self._buffer.clear()
        self._runs = 0
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - a build of ours
                    self._command,
                    env={**self._environment, "LOCKSTEP_FD": str(theirs.fileno())},
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    process_group=0,  # a Ctrl-C must reach only us; the process ends when our end of the socket closes
                )
        except OSError as error:
            ours.close()
            raise UpstreamFailed(f"cannot start {self._command[0]}: {error.strerror}. {_NEXT_STEP}") from error
        self._socket = ours
        self._reader = threading.Thread(target=_drain, args=(self._process.stderr, self._stderr), daemon=True)
        self._reader.start()
        frame, _ = self.receive()
        if frame["op"] != "ready" or frame.get("protocol") != _PROTOCOL:
            raise self._failed(f"speaks protocol {frame.get('protocol')}, not {_PROTOCOL}")
        self.controllers = tuple(frame.get("controllers", ()))

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is no process."""
        return None if self._process is None else self._process.pid

    def stderr(self) -> list[str]:
        """The last lines of the process's standard error."""
        return list(self._stderr)

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if process is not None:
            process.kill()
            process.wait()
            if self._reader is not None:
                self._reader.join()

    def _died(self) -> UpstreamFailed:
        process = self._process
        assert process is not None
        try:
            code = process.wait(5)
        except subprocess.TimeoutExpired:
            return self._failed("closed its socket but is still running")
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return self._failed(how)

    def _failed(self, what: str) -> UpstreamFailed:
        """Kill the process. The exception says what happened and has its last output."""
        self.close()
        words = list(self._stderr)
        shown = _first_of_panic(words) or words[-_SHOWN_LINES:]
        output = f" Its last words: {' | '.join(shown)}." if shown else ""
        return UpstreamFailed(f"the upstream process {what}.{output} {_NEXT_STEP}")


def _parse(line: bytes) -> dict[str, Any] | None:
    """The frame of a line; None if it is not one."""
    try:
        frame = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    makes_sense = (
        isinstance(frame, dict)
        and frame.get("op") in _FRAMES
        and isinstance(frame.get("now"), int)
        and isinstance(frame.get("length", 0), int)
    )
    return frame if makes_sense else None


_NEXT_STEP = "Run again; if it happens again, rebuild it with `lockstep upstream build`"


def _first_of_panic(lines: list[str]) -> list[str]:
    """The start of a Go panic among these lines, which is more useful than the end of its stack."""
    for index, line in enumerate(lines):
        if line.startswith(("panic:", "fatal error:")):
            return lines[index : index + _SHOWN_LINES]
    return []


def _drain(pipe: IO[bytes], lines: deque[str]) -> None:
    with pipe:
        for line in pipe:
            if line.strip():
                lines.append(line.decode(errors="replace").rstrip())
