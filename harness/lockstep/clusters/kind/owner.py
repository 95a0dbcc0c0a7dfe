"""The owner of a named cluster: this process, an earlier one of ours that left it behind, or another user.

Each name has a folder in the cache. The process that runs the cluster holds a lock there, which is released however the
process ends. Each node mounts a subfolder of it, so Docker alone can tell which clusters are ours.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lockstep.clusters.kind import KindFailed, cache
from lockstep.clusters.kind.config import MARK
from lockstep.clusters.kind.docker import docker

_LABEL = "io.x-k8s.kind.cluster"
# Waits for a line from us. If we end without sending one, it deletes the cluster.
_WATCH = 'read -r word || exec "$0" delete cluster --quiet --name "$1" --kubeconfig "$2"'


@contextmanager
def owned(name: str) -> Iterator[Path]:
    """Own a name for the duration of the block, and yield its folder. Raises KindFailed if another process owns it."""
    folder = cache.cache_root() / "clusters" / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # released when the file is closed, also by a crash
        except BlockingIOError:
            lock.seek(0)
            raise KindFailed(
                f"the kind cluster {name!r} is in use by process {lock.read().strip() or '(unknown)'}; "
                "wait for it, or choose another name with --kind-cluster-name"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield folder


def nodes(name: str) -> Sequence[str]:
    """The containers of a cluster, ours or not."""
    listed = docker("ps", "-aq", "--no-trunc", f"--filter=label={_LABEL}={name}", what="looking for kind clusters")
    return listed.split()


def is_ours(name: str) -> bool:
    """Whether all containers of a cluster are ours."""
    shown = f'{{{{range .Mounts}}}}{{{{if eq .Destination "{MARK}"}}}}ours{{{{end}}}}{{{{end}}}}'
    shown = docker("inspect", f"--format={shown}", *nodes(name), what=f"inspecting the kind cluster {name!r}")
    return all(line == "ours" for line in shown.splitlines())


def refuse_strangers(name: str) -> None:
    """Raises KindFailed if there is a cluster of this name that is not ours."""
    if nodes(name) and not is_ours(name):
        raise KindFailed(
            f"there is a kind cluster {name!r} that Lockstep did not make, so it is not used; "
            f"take another name with --kind-cluster-name, or delete it: kind delete cluster --name {name}"
        )


@contextmanager
def watched(name: str, kind: Path, kubeconfig: Path) -> Iterator[None]:
    """Have a waiting process delete the cluster if we are killed within the block."""
    shell = shutil.which("sh") or "/bin/sh"
    with subprocess.Popen(  # noqa: S603 - the shell, and kind
        [shell, "-c", _WATCH, str(kind), name, str(kubeconfig)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C must reach only us
    ) as watcher:
        assert watcher.stdin is not None
        try:
            yield
        finally:
            watcher.stdin.write(b"done\n")
