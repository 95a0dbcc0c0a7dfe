"""Explains differences to someone who has never seen this tool: at most 80 columns, the first instant in full."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from lockstep.trace.difference import END, Difference, moment
from lockstep.trace.values import ABSENT
from lockstep.trace.wording import sentence, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lockstep.trace.difference import Comparison
    from lockstep.trace.ledger import Judged

WIDTH = 80
_MOST_SHOWN = 12
_CONTEXT = 3
_MOST_LINES = 4


def explain(judged: Judged, scenario_id: str, must: str, names: tuple[str, str], reproduce: str) -> str:
    """Why a scenario does not conform. `names`: the expected and the actual side, in words; `reproduce`: a command."""
    lines = [scenario_id, *_wrapped(f"Rule: {must}", "  ", "        ")]
    if judged.remaining:
        lines += _differences(judged.remaining, judged.comparison, names)
    for entry in judged.stale:
        text = f"Known difference {entry} is gone: this scenario no longer shows it. Take the scenario out of the entry"
        lines += ["", *_wrapped(f"{text}, or remove the entry if it was the last one.", "  ", "  ")]
    for entry, found in judged.changed:
        text = f"Known difference {entry} has changed: its fingerprint here is now {found}. If that is right, write it"
        lines += ["", *_wrapped(f"{text} into the ledger.", "  ", "  ")]
    if judged.explained:
        lines += ["", *_wrapped(f"Known differences, not shown: {', '.join(judged.explained)}.", "  ", "  ")]
    if judged.comparison.tolerance:
        allowed = ", ".join(str(one) for one in judged.comparison.tolerance)
        lines += ["", *_wrapped(f"Declared tolerance: {allowed}.", "  ", "  ")]
    return "\n".join([*lines, "", f"  Reproduce: {reproduce}"])


def _differences(differences: Sequence[Difference], comparison: Comparison, names: tuple[str, str]) -> list[str]:
    at = differences[0].at
    first = [one for one in differences if one.at == at]
    lines = ["", f"  expected = {names[0]}", f"  got      = {names[1]}", ""]
    lines.append(f"  The first difference is {'in the final state' if at == END else moment(at)}:")
    for name, group in groupby(first[:_MOST_SHOWN], key=lambda one: one.object):
        lines += ["", f"    {name}"]
        for difference in group:
            lines += _one(difference)
    if len(first) > _MOST_SHOWN:
        lines += ["", f"    ... and {_plural(len(first) - _MOST_SHOWN, 'more difference')} at this instant."]
    later = differences[len(first) :]
    if later:
        instants = len(dict.fromkeys(one.at for one in later))
        more = f"{_plural(len(later), 'more difference')} at {_plural(instants, 'later instant')}"
        lines += ["", *_wrapped(f"Not shown: {more}, most likely consequences of the first.", "  ", "  ")]
    return [*lines, *_before(comparison, at)]


def _one(difference: Difference) -> Iterator[str]:
    if difference.path:
        yield from _wrapped(f"{difference.path}", "     ", "       ")
    for side, value in (("expected", difference.left), ("got", difference.right)):
        text = "nothing of the kind" if value is ABSENT and not difference.path else show(value)
        yield from _wrapped(f"{side:<9} {text}", "      ", " " * 16)


def _before(comparison: Comparison, at: str) -> list[str]:
    """The last things that both sides did before the first difference."""
    done: list[str] = []
    for instant in comparison.left.instants:
        if at != END and float(instant["at"]) >= float(at):
            break
        written = [sentence(item) for item in instant.get("writes", ())]  # events only repeat them
        for name, changed in instant.get("status", {}).items():
            written.append(f"status of {name}: {', '.join(f'{path}={show(value)}' for path, value in changed.items())}")
        done += [f"{moment(instant['at'])[3:]}  {text}" for text in written]
    if not done:
        return ["", "  Before that, neither of them did anything."]
    lines = ["", "  Just before, both did:", ""]
    for text in done[-_CONTEXT:]:
        lines += _wrapped(text, "    ", "      ")
    return lines


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _wrapped(text: str, indent: str, following: str) -> list[str]:
    lines = textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=following, break_on_hyphens=False, break_long_words=False
    )
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], f"{following}..."]
