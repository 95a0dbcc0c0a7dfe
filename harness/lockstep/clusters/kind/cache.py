"""The cache of built files: `$XDG_CACHE_HOME/lockstep/kind/`.

A *part* is a folder that is built once from its inputs; its name has a digest of them. It appears whole or not at all.
`bin/` links to the programs that a user may need.
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


def cache_root() -> Path:
    """The folder of the cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lockstep" / "kind"


def digest(*inputs: str) -> str:
    """A short digest of these inputs."""
    return hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:12]


def tree_digest(folder: Path) -> str:
    """A short digest of a folder: of the names and bytes of its files."""
    content = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            content.update(f"{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return content.hexdigest()[:12]


def part_path(name: str, inputs: Sequence[str]) -> Path:
    """The path of the part with these inputs, which need not exist."""
    return cache_root() / "parts" / f"{name}-{digest(*inputs)}"


def part(name: str, inputs: Sequence[str], make: Callable[[Path], None]) -> Path:
    """The folder of a part; `make` fills it if it does not exist. Raises KindFailed if it cannot be written."""
    path = part_path(name, inputs)
    if path.is_dir():
        return path
    with _scratch(path.parent, name) as scratch:
        make(scratch)
        scratch.rename(path)
    return path


def prune(name: str, kept: int) -> None:
    """Remove all but the newest parts of a name, since each edit of a recipe leaves one behind."""
    found = sorted((cache_root() / "parts").glob(f"{name}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in found[kept:]:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A folder beside the parts, so that they can be linked into it. It is removed at the end of the block."""
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
    """Let only one process at a time run the block."""
    cache_root().mkdir(parents=True, exist_ok=True)
    with (cache_root() / f".{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released when the file is closed, also by a crash
        yield


def link_tool(program: Path) -> Path:
    """Link a program under its name in `bin/`, and return that path."""
    link = tool_path(program.name)
    link.parent.mkdir(parents=True, exist_ok=True)
    fresh = link.with_name(f".{program.name}.{os.getpid()}")
    fresh.symlink_to(program)
    fresh.replace(link)
    return link


def tool_path(name: str) -> Path:
    """The path of a program of ours, which may not have been built."""
    return cache_root() / "bin" / name


def tool(name: str) -> Path | None:
    """A program that was built earlier, or None."""
    path = tool_path(name)
    return path if path.exists() else None
