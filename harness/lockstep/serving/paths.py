"""Simple JSON paths, as printer columns use them: `.status.conditions[?(@.type=="Ready")].status`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_STEP = re.compile(
    r"""\.(?P<name>(?:[^.\[\\]|\\.)+)|\[(?P<index>\d+)\]|\['(?P<quoted>[^']+)'\]"""
    r"""|\[\?\(@\.(?P<key>[\w.]+)\s*==\s*["'](?P<value>[^"']*)["']\)\]|\[\*\]"""
)
#: A field by name, an element by number, or elements by (key, value).
Step = str | int | tuple[str, str] | None


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[Step, ...] | None:
    found: list[Step] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            return None
        position = match.end()
        name = match["name"] or match["quoted"]
        if name is not None:
            found.append(name.replace("\\.", "."))
        elif match["index"] is not None:
            found.append(int(match["index"]))
        else:
            found.append((match["key"], match["value"]) if match["key"] else None)
    return tuple(found)


def value_at(one: Any, path: str) -> Any:
    """The first value that a path leads to; None if there is none, or if the path is beyond this simple form."""
    steps = _steps(path)
    if steps is None:
        return None
    found = [one]
    for step in steps:
        found = [deeper for value in found for deeper in _taken(value, step)]
    return found[0] if found else None


def _taken(value: Any, step: Step) -> list[Any]:
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and value.get(step) is not None else []
    if not isinstance(value, list):
        return []
    if isinstance(step, int):
        return value[step : step + 1]
    if step is None:
        return value
    key, wanted = step
    return [item for item in value if isinstance(item, dict) and str(item.get(key)) == wanted]
