"""Paths of FieldsV1: which fields a configuration names, and how to read, set and remove the value at a path.

A part is `f:NAME` for a field, `k:{...}` for an element of a list with keys, `v:VALUE` for one of a set. The form says
which of them leads into a list (`forms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from lockstep.apiserver.patching.forms import Form

Path = tuple[str, ...]
ABSENT: Any = object()


def leaves(value: dict[str, Any], form: Form, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every path that a configuration names, with the value at its end."""
    for key, item in value.items():
        here, inner = (*path, f"f:{key}"), form.field(key)
        if isinstance(item, dict) and item and not inner.atomic:
            yield from leaves(item, inner, here)
        elif isinstance(item, list) and item and all(inner.label(part) for part in item):
            for part in item:
                element = (*here, str(inner.label(part)))
                if isinstance(part, dict) and not inner.item().atomic:
                    yield from leaves(part, inner.item(), element)
                else:
                    yield element, part
        else:
            yield here, item


def fields_v1(paths: Iterable[Path]) -> dict[str, Any]:
    """Paths as managed fields store them."""
    tree: dict[str, Any] = {}
    for path in paths:
        node = tree
        for above, part in zip(("", *path), path, strict=False):
            if above.startswith("k:"):
                node.setdefault(".", {})  # the element itself
            node = node.setdefault(part, {})
    return tree


def paths_of(entry: dict[str, Any] | None) -> dict[Path, None]:
    """The paths that a manager owns, in the order in which its entry holds them."""

    def walk(node: dict[str, Any], path: Path) -> Iterator[Path]:
        for key, inner in node.items():
            if key == ".":
                continue
            if inner:
                yield from walk(inner, (*path, key))
            else:
                yield (*path, key)

    return dict.fromkeys(walk(entry["fieldsV1"], ())) if entry else {}


def _inside(form: Form, part: str) -> Form:
    return form.field(part[2:]) if part.startswith("f:") else form.item()


def _find(container: list[Any], part: str, form: Form) -> int | None:
    return next((index for index, item in enumerate(container) if form.label(item) == part), None)


def value_at(value: Any, path: Path, form: Form) -> Any:
    """The value at a path; ABSENT if there is none."""
    for part in path:
        if part.startswith("f:"):
            value = value.get(part[2:], ABSENT) if isinstance(value, dict) else ABSENT
        else:
            index = _find(value, part, form) if isinstance(value, list) else None
            value = ABSENT if index is None else value[index]
        if value is ABSENT:
            return ABSENT
        form = _inside(form, part)
    return value


def put(root: dict[str, Any], path: Path, value: Any, form: Form) -> None:
    """Set the value at a path; missing containers are added."""
    node: Any = root
    for position, part in enumerate(path):
        last = position == len(path) - 1
        if part.startswith("f:"):
            name = part[2:]
            if last:
                node[name] = value
                return
            empty: Any = [] if path[position + 1][0] in "kv" else {}
            if not isinstance(node.get(name), type(empty)):
                node[name] = empty
            node = node[name]
        else:
            index = _find(node, part, form)
            if index is None:
                node.append(value if last else _named_by(part, form))
                index = len(node) - 1
            elif last:
                node[index] = value
            node = node[index]
        form = _inside(form, part)


def _named_by(part: str, form: Form) -> dict[str, Any]:
    """A new element with the fields that name it, without keys that have their default value."""
    return {key: value for key, value in orjson.loads(part[2:]).items() if value != form.keys.get(key)}


def names_element(path: Path) -> bool:
    """Whether a path leads to a key of an element in its list: such a field is removed last, with the element."""
    return len(path) > 1 and path[-2].startswith("k:") and path[-1][2:] in orjson.loads(path[-2][2:])


def remove(root: dict[str, Any], path: Path, form: Form) -> None:
    """Remove the value at a path, and containers that become empty by that."""
    if names_element(path):
        if _only_key(value_at(root, path[:-1], form), path[-2]):
            remove(root, path[:-1], form)
        return
    parents: list[tuple[Any, str, Form]] = []
    node: Any = root
    for part in path:
        parents.append((node, part, form))
        node = value_at(node, (part,), form)
        if node is ABSENT:
            return
        form = _inside(form, part)
    for depth, (parent, part, above) in enumerate(reversed(parents)):
        left = value_at(parent, (part,), above)
        if depth and left not in ({}, []) and not _only_key(left, part):
            return
        if part.startswith("f:"):
            del parent[part[2:]]
        else:
            del parent[_find(parent, part, above)]


def _only_key(value: Any, part: str) -> bool:
    """Whether a list element has only its keys left."""
    return part.startswith("k:") and isinstance(value, dict) and set(value) <= set(orjson.loads(part[2:]))


def dotted(path: Path) -> str:
    """A path as errors show it."""
    text = ""
    for part in path:
        if part.startswith("f:"):
            text += f".{part[2:]}"
        elif part.startswith("v:"):
            text += f"[={part[2:]}]"
        else:
            text += (
                "["
                + ",".join(f"{key}={orjson.dumps(value).decode()}" for key, value in orjson.loads(part[2:]).items())
                + "]"
            )
    return text
