"""The folder of the cache that belongs to kind: clusters in use, and programs that `tools/node_image` built."""

from __future__ import annotations

from pathlib import Path

from lockstep.files import cache_folder


def cache_root() -> Path:
    """The folder of the cache."""
    return cache_folder("kind")


def tool_path(name: str) -> Path:
    """The path of a program of ours, which may not have been built."""
    return cache_root() / "bin" / name


def tool(name: str) -> Path | None:
    """A program that was built earlier, or None."""
    path = tool_path(name)
    return path if path.exists() else None
