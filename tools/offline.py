"""Checks that a built site loads nothing from the network: `python -m tools.offline FOLDER`. Its links may lead out."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

#: What a browser loads by itself.
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*?\ssrc=["\']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["\']?(?:stylesheet|preload|preconnect|icon))[^>]*?\shref=["\']?(?:https?:)?//"""
    r"""|url\(["\']?(?:https?:)?//|@import\s+["\'](?:https?:)?//"""
)


def loaded_from_elsewhere(folder: Path) -> Iterator[str]:
    """A line for each place in the pages and style sheets of a folder that loads something from another host."""
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.css")]):
        text = path.read_text(encoding="utf-8")
        for found in _LOADED.finditer(text):
            yield f"{path.relative_to(folder)}: {text[found.start() : found.end() + 60]!r}"


def main(arguments: list[str]) -> int:
    """Print what is loaded; 1 if there is anything, or if there are no pages."""
    folder = Path(arguments[0])
    found = list(loaded_from_elsewhere(folder))
    if not (folder / "index.html").is_file():
        found.append(f"{folder} has no index.html: build the site first")
    for line in found:
        print(line)  # noqa: T201 - the output of a tool
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
