"""Fields that a JSON document names more than once. The last one counts, and strict decoding reports them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


class _Marked(dict[str, Any]):
    """An object in which some names occurred more than once."""

    twice: tuple[str, ...] = ()


def duplicate_fields(raw: bytes) -> list[str]:
    """Complaints with the messages of Go's strict decoder, in the order of the document; `raw` is valid JSON."""
    found: list[_Marked] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        marked = _Marked(plain)
        names = [name for name, _ in pairs]
        marked.twice = tuple(dict.fromkeys(name for at, name in enumerate(names) if name in names[:at]))
        found.append(marked)
        return marked

    try:
        document = json.loads(raw, object_pairs_hook=made)
    except (ValueError, RecursionError):
        return []
    return [f'duplicate field "{path}"' for path in _paths(document, "")] if found else []


def _paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name in value.twice if isinstance(value, _Marked) else ():
            yield f"{path}.{name}".removeprefix(".")
        for name, item in value.items():
            yield from _paths(item, f"{path}.{name}")
