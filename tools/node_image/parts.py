"""Where what was built is kept: in the cache that runs of kind use too (see `lockstep.clusters.kind.cache`).

A *part* is a folder, made once from inputs that its name covers by a digest. It appears whole or not at all. `bin/`
links to the programs that a user may want.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.cache import cache_root, tool_path


def digest(*inputs: str) -> str:
    """A short name for these inputs."""
    return hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:12]


def tree_digest(folder: Path) -> str:
    """A short name for the content of a folder: names and bytes of its files."""
    content = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            content.update(f"{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return content.hexdigest()[:12]


def part_path(name: str, inputs: Sequence[str]) -> Path:
    """Where the part of these inputs lies, whether it is there or not."""
    return cache_root() / "parts" / f"{name}-{digest(*inputs)}"


def part(name: str, inputs: Sequence[str], make: Callable[[Path], None]) -> Path:
    """The folder of a part; `make` fills it if it is not there yet. Raises KindFailed if it cannot be written."""
    path = part_path(name, inputs)
    if path.is_dir():
        return path
    with _scratch(path.parent, name) as scratch:
        make(scratch)
        scratch.rename(path)
    return path


def prune(name: str, kept: int) -> None:
    """Remove all but the newest parts of a name: edits of ours leave many behind."""
    found = sorted((cache_root() / "parts").glob(f"{name}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in found[kept:]:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A folder beside the parts, so that they can be linked into it; gone at the end."""
    with _scratch(cache_root(), name) as folder:
        yield folder


@contextmanager
def _scratch(parent: Path, name: str) -> Iterator[Path]:
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=parent))
    except OSError as error:
        raise KindFailed(
            f"cannot write to the cache {parent}: {error}; set XDG_CACHE_HOME to another folder"
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Let only one process at a time do this."""
    cache_root().mkdir(parents=True, exist_ok=True)
    with (cache_root() / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # freed when the file is closed, also by a crash
        yield


def link_tool(program: Path) -> Path:
    """Make a program known under its name in `bin/`, and return that path."""
    link = tool_path(program.name)
    link.parent.mkdir(parents=True, exist_ok=True)
    fresh = link.with_name(f".{program.name}.{os.getpid()}")
    fresh.symlink_to(program)
    fresh.replace(link)
    return link
