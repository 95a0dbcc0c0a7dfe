"""The glossary: its words are in order, and what it names in the code exists."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"


def rows() -> list[tuple[str, str, str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    return [(word, meaning, place) for word, meaning, place in cells[1:]]


def test_words_are_in_alphabetical_order() -> None:
    words = [word for word, _, _ in rows()]
    assert len(words) > 25
    assert words == sorted(set(words), key=str.lower)


def test_a_meaning_is_one_sentence() -> None:
    several = [word for word, meaning, _ in rows() if not meaning.endswith(".") or ". " in meaning]
    assert not several


@pytest.mark.parametrize(("word", "place"), [(word, place) for word, _, place in rows() if place.startswith("`")])
def test_the_code_has_what_is_named(word: str, place: str) -> None:
    [name] = re.findall(r"^`([\w.]+)`$", place)
    assert pkgutil.resolve_name(name), word
