"""Making a mutant: one piece of text in one file becomes another, for as long as a block lasts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lockstep.files import write_whole
from lockstep.quality.mutants.catalogue import Mutant, MutantError


def mutated(text: str, mutant: Mutant) -> str:
    """The source with the mistake in it. Raises MutantError unless the text to replace is there exactly once."""
    at = place(text, mutant)
    return text[:at] + mutant.put + text[at + len(mutant.find) :]


def place(text: str, mutant: Mutant) -> int:
    """Where the text to replace begins. Raises MutantError unless it is there exactly once."""
    start, end = _span(text, mutant)
    found = text.count(mutant.find, start, end)
    if found != 1:
        where = f"{mutant.function} of {mutant.file}" if mutant.function else mutant.file
        raise MutantError(
            f"mutant {mutant.id}: {mutant.find!r} stands {found} times in {where}, not once; "
            "adapt the mutant to the source"
        )
    return text.index(mutant.find, start, end)


@contextmanager
def applied(root: Path, mutant: Mutant) -> Iterator[None]:
    """Change the file below `root`, and restore it at the end of the block, whatever happens in it.

    The file is replaced, never written to, so another hard link to it keeps its content.
    """
    path = root / mutant.file
    original = source(root, mutant)
    write_whole(path, mutated(original, mutant))
    try:
        yield
    finally:
        write_whole(path, original)


def source(root: Path, mutant: Mutant) -> str:
    """The text of the mutant's file below `root`. Raises MutantError if there is none."""
    try:
        return (root / mutant.file).read_text(encoding="utf-8")
    except OSError as error:
        reason = f"cannot read {mutant.file}: {error.strerror}"
        raise MutantError(f"mutant {mutant.id}: {reason}; adapt the mutant to the source") from error


def _span(text: str, mutant: Mutant) -> tuple[int, int]:
    """Where in the text the replacement may happen: all of it, or one function."""
    if not mutant.function:
        return 0, len(text)
    heads = list(re.finditer(_head(mutant), text, re.MULTILINE))
    if len(heads) != 1:
        raise MutantError(
            f"mutant {mutant.id}: {mutant.file} has {len(heads)} functions {mutant.function}, not one; "
            "adapt the mutant to the source"
        )
    head = heads[0]
    if mutant.file.endswith(".go"):
        last = re.compile(r"^}", re.MULTILINE).search(text, head.end())
    else:
        indent = len(head[1])
        last = re.compile(rf"^ {{0,{indent}}}[^\s)\]]", re.MULTILINE).search(text, head.end())
    return head.start(), last.start() if last else len(text)


def _head(mutant: Mutant) -> str:
    *owner, name = mutant.function.split(".")
    if mutant.file.endswith(".go"):
        receiver = rf"\(\w+ \*?{re.escape(owner[0])}\) " if owner else r"(?:\([^)]*\) )?"
        return rf"^func {receiver}{re.escape(name)}\("
    return rf"^( *)(?:async )?def {re.escape(name)}\("
