"""JSON values as the trace compares them: canonical bytes, and objects flattened to paths with one leaf each.

A path looks like the field path in a Kubernetes error: `status.conditions[type=Ready].status`. Elements of a list of
objects are identified by `type`, `name` or `uid`, so inserting one does not shift the others. Null, `{}` and `[]` equal
an absent field, because Go decodes them so.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import orjson

_LIST_KEYS: Final = ("type", "name", "uid")


class _Absent:
    """The value of an absent field."""

    def __repr__(self) -> str:
        return "(absent)"


ABSENT: Final = _Absent()


def canonical(value: Any) -> bytes:
    """The value's canonical JSON: sorted keys, no white space."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def is_empty(value: Any) -> bool:
    """Whether Go would decode the value as it decodes an absent field of a pointer, map or slice type."""
    return value is None or (isinstance(value, dict | list) and not value)


def prune(value: Any) -> Any:
    """A copy without the fields that are null or empty, at any depth."""
    if isinstance(value, dict):
        pruned = {key: prune(item) for key, item in value.items()}
        return {key: item for key, item in pruned.items() if not is_empty(item)}
    if isinstance(value, list):
        return [prune(item) for item in value]
    return value


def flatten(value: Any, path: str = "") -> dict[str, Any]:
    """Every leaf of the value under its path. Lists of plain values count as one leaf."""
    return dict(_leaves(value, path))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if is_empty(value):
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, join(path, key))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield from _elements(value, path)
    else:
        yield path, value


def _elements(items: list[Any], path: str) -> Iterator[tuple[str, Any]]:
    key = _list_key(items)
    for position, item in enumerate(items):
        place = f"{path}[{position}]" if key is None else f"{path}[{key}={item[key]}]"
        rest = item if key is None else {name: field for name, field in item.items() if name != key}
        before_any = True
        for leaf in _leaves(rest, place):
            before_any = False
            yield leaf
        if before_any:
            yield place, True  # it has only its key, so record that it exists


def _list_key(items: list[Any]) -> str | None:
    """The first field that is a string in every element and unique; None: use the position."""
    for key in _LIST_KEYS:
        names = [item.get(key) if isinstance(item, dict) else None for item in items]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return key
    return None


def join(path: str, key: str) -> str:
    """`path` extended by a field; a key with a dot is put in brackets, as in `metadata.labels[example.com/a]`."""
    if "." in key or "/" in key:
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def changes(before: Any, after: Any) -> dict[str, tuple[Any, Any]]:
    """The paths at which two objects differ, with the value on either side (`ABSENT` where there is none)."""
    old, new = flatten(before), flatten(after)
    return {
        path: (old.get(path, ABSENT), new.get(path, ABSENT))
        for path in sorted(old.keys() | new.keys())
        if old.get(path, ABSENT) != new.get(path, ABSENT)
    }


@lru_cache(maxsize=1024)
def glob(pattern: str) -> re.Pattern[str]:
    """A pattern for whole strings in which `*` stands for any text and `?` for one character; brackets are literal."""
    parts = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern)
    return re.compile("".join(parts), re.DOTALL)


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text fits the glob pattern."""
    return glob(pattern).fullmatch(text) is not None
