"""A parent for one program, so that the program never outlives the process that started it.

Run as a script: `guard.py FD FOLDERS COMMAND...`. It starts the command in a process group of its own, sends its id
through the socket FD, and ends as the command ends: with its exit code, or by the same signal. It kills the command

- when the other end of the socket is closed, which happens however the owner ends, kill -9 included, and
- when its own parent has changed, in case a fork of the owner still holds that end.

If the owner is gone, it removes FOLDERS too (with colons between, "" for none): no other process would. If the guard
itself is killed, the kernel kills the command (on Linux). It uses only the standard library, since it starts without
site-packages.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
#: Seconds between two checks of our parent.
_GLANCE = 0.5
_NOT_STARTED = 127


def main(arguments: list[str]) -> NoReturn:
    """Guard one command."""
    owner = socket.socket(fileno=int(arguments[0]))
    folders, command = arguments[1].split(os.pathsep), arguments[2:]
    parent = os.getppid()
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # it is only there to wake us up
    child = _start(command)
    owner.sendall(f"{child}\n".encode())
    status, orphaned = _watch(child, owner, woken, parent)
    for folder in filter(None, folders if orphaned else ()):
        _remove(folder)
    _end_like(status)


def _start(command: list[str]) -> int:
    ourselves = os.getpid()
    child = os.fork()
    if child:
        with contextlib.suppress(OSError):  # parent and child both do this, so it is done whichever runs first
            os.setpgid(child, child)
        return child
    try:
        os.setpgid(0, 0)
        _die_with_parent(ourselves)
        os.execv(command[0], command)  # noqa: S606 - the command that we are for
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
    os._exit(_NOT_STARTED)


def _die_with_parent(parent: int) -> None:
    """Let the kernel kill us when the guard is gone. Only Linux can do this."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(_NOT_STARTED)


def _watch(child: int, owner: socket.socket, woken: int, parent: int) -> tuple[int, bool]:
    """Wait until the child has ended, or end it. Returns its status, and whether the owner is gone."""
    while True:
        readable, _, _ = select.select([owner.fileno(), woken], [], [], _GLANCE)
        if woken in readable:
            os.read(woken, 64)
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status, os.getppid() != parent
        if owner.fileno() in readable or os.getppid() != parent:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
            return status, _orphaned(parent)


def _orphaned(parent: int) -> bool:
    """Whether our parent is dead. The kernel closes its sockets a little before it gives us another parent."""
    for _ in range(20):
        if os.getppid() != parent:
            return True
        time.sleep(0.01)
    return False


def _remove(folder: str) -> None:
    """Remove a folder in which other programs, which are also being killed, may still write."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):  # noqa: PTH110 - pathlib is slow to import
            return
        time.sleep(0.05)


def _end_like(status: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # one core dump is enough
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(sys.argv[1:])
