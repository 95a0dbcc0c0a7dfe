"""Two comparable transcripts, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: The value of a field that one side does not have.
ABSENT = "(absent)"
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs. `path` begins with the number of the step, from 1."""

    path: str
    #: What the step did: `METHOD target`.
    step: str
    real: Any
    here: Any


def shown(difference: Difference) -> list[str]:
    """A difference as text: its path, then both values, shortened if they are long."""
    real, here = (json.dumps(value, ensure_ascii=False) for value in (difference.real, difference.here))
    return [f"{difference.path}  {difference.step}", f"  real  {_cut(real)}", f"  here  {_cut(here)}"]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def differences(real: list[dict[str, Any]], here: list[dict[str, Any]]) -> list[Difference]:
    """Every field that differs."""
    found = []
    for number in range(max(len(real), len(here))):
        one = real[number] if number < len(real) else ABSENT
        other = here[number] if number < len(here) else ABSENT
        step = next(str(side["step"]) for side in (one, other) if isinstance(side, dict))
        found += [Difference(f"{number + 1}{path}", step, a, b) for path, a, b in _walk(one, other, "")]
    return found


def _walk(real: Any, here: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(real, dict) and isinstance(here, dict):
        for key in sorted({*real, *here}):
            yield from _walk(real.get(key, ABSENT), here.get(key, ABSENT), f"{path}.{key}")
    elif isinstance(real, list) and isinstance(here, list):
        for index in range(max(len(real), len(here))):
            one = real[index] if index < len(real) else ABSENT
            other = here[index] if index < len(here) else ABSENT
            yield from _walk(one, other, f"{path}[{index}]")
    elif real != here or type(real) is not type(here):
        yield path, real, here
