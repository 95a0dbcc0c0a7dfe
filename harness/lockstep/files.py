"""Atomic writes of files, locks, and the cache folder."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: The mode of a new file, before the umask; a temporary file is readable only for its owner at first.
_MODE = 0o666


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` through a temporary file beside it: a reader, or a crash, never sees half of it.

    If this is interrupted, the old file stays as it was. A file that exists keeps its mode, and a link keeps leading to
    its file; a new file gets what the umask allows. Devices and pipes are written in place.
    Raises OSError.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _MODE & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The umask, which can only be read by setting it."""
    found = os.umask(0o077)
    os.umask(found)
    return found


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock for making `folder`, a file beside it: of all processes that need the folder, only one makes it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # freed when the file is closed, also by a crash
        yield


def cache_folder(name: str) -> Path:
    """Lockstep's folder in the user's cache. It may not exist yet, and may be deleted at any time."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lockstep" / name
