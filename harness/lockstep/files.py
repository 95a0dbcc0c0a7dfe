"""Files are written whole or not at all."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_READABLE_BY_ALL = 0o644  # a temporary file starts as its owner's secret


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` through a temporary file beside it: a reader, or a crash, never sees half of it.

    If this is interrupted, the old file stays as it was. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).chmod(_READABLE_BY_ALL)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock on making `folder`, which lies beside it: of all processes that want it, one makes it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # freed when the file is closed, also by a crash
        yield


def cache_folder(name: str) -> Path:
    """A folder of Lockstep's own in the user's cache. It may not exist yet, and may be deleted at any time."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lockstep" / name
