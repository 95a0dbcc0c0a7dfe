"""Programs that tests start: found as envtest's convention has it, and never outliving the test."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

#: Runs kubectl with some words and returns what it prints.
Kubectl = Callable[..., str]
_PR_SET_PDEATHSIG = 1
RELEASE = "1.36.3"


def controller_manager() -> Path:
    """kube-controller-manager: from KUBEBUILDER_ASSETS, PATH, or the cache of `lockstep`'s control plane."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lockstep" / "control-plane" / RELEASE
    folders = [os.environ.get("KUBEBUILDER_ASSETS", ""), *os.environ.get("PATH", "").split(os.pathsep), str(cache)]
    found = shutil.which("kube-controller-manager", path=os.pathsep.join(filter(None, folders)))
    assert found, f"no kube-controller-manager {RELEASE} in KUBEBUILDER_ASSETS, on PATH or in {cache}: build it first"
    return Path(found)


@contextlib.contextmanager
def running(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a process group of its own, killed at the end, and by the kernel if this process is."""

    def die_with_parent() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - no locks are taken in it
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
