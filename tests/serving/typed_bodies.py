"""Objects whose fields have the types that Go's have, and values that no client would write."""

from __future__ import annotations

from random import Random
from typing import Any

from lockstep.apiserver.builtin.types import is_struct, struct
from lockstep.serving.protobuf.decoding import SCHEMA

_TEXTS = (
    *[
        "a",
        "v1",
        "*",
        "1",
        "-1",
        "50%",
        "Always",
        "In",
        "Exists",
        "Resource",
        "Pods",
        "cpu",
        "memory",
        "count/pods",
        "Utilization",
        "AverageValue",
        "Value",
    ],
    *[
        "Namespaced",
        "object",
        "integer",
        "string",
        "array",
        "Service",
        "CREATE",
        "RollingUpdate",
        "Recreate",
        "OnDelete",
        "Never",
        "Orphan",
    ],
    *["Container", "Pod", "Terminating", "a.b.c", "apps/v1", "Deployment", "https://a", "[", "a/b"],
    *("", "A b", "\x00", "é", "x" * 300, "* * * * *", "self.a > 1", "9" * 40),
)
_NUMBERS = (0, 1, -1, 2, 50, 101, 2**31 - 1, -(2**31))
_WIDE = (*_NUMBERS, 2**63 - 1, -(2**63))
_AMOUNTS = ("0", "1", "-1", "100m", "1Gi", "1e3", "1E", "", "a", "9" * 40, "1.5", ".5", "5n", 1, 2.5, -3)
_TIMES = ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00.5+01:00", "9999-12-31T23:59:59Z")
_CHOICES: dict[str, tuple[Any, ...]] = {
    "int32": _NUMBERS,
    "uint32": _NUMBERS,
    "int64": _WIDE,
    "double": (0, 1.5, -1, 1e300),
    "quantity": _AMOUNTS,
    "intorstring": (*_NUMBERS, *_TEXTS),
    "time": _TIMES,
    "microtime": _TIMES,
    **dict.fromkeys(("raw", "json", "fields"), (None, 1, "a", [], {}, {"f:a": {}})),
}
_DEEPEST = 7
#: Parts of metadata that seldom get a whole object refused.
_HARMLESS = ("labels", "deletionGracePeriodSeconds", "generation")


def typed_body(kind: str, random: Random) -> dict[str, Any]:
    """An object of a type of the table, such as `apps/v1.Deployment`."""
    body = _struct(kind, random, 0)
    for head in ("apiVersion", "kind"):
        body.pop(head, None)
    metadata = body.get("metadata") or {}
    kept = metadata if random.random() < 0.1 else {part: metadata[part] for part in _HARMLESS if part in metadata}
    return {**body, "metadata": {**kept, "name": random.choice(("a", "b", "a.b.c", "x" * 300))}}


def _struct(kind: str, random: Random, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    likely = 0.9 if depth < 2 else 0.35
    for field in struct(kind):
        if not field.name:
            made.update(_struct(field.type, random, depth))
        elif random.random() < likely and depth < _DEEPEST:
            made[field.name] = _value(field.type, random, depth + 1)
    return made


def _value(kind: str, random: Random, depth: int) -> Any:
    if random.random() < 0.01:
        return None
    if kind.startswith("list "):
        return [_value(kind[5:], random, depth) for _ in range(random.choice((0, 1, 1, 2)))]
    if kind.startswith("map "):
        return {random.choice(_TEXTS): _value(kind[4:], random, depth) for _ in range(random.choice((0, 1, 2)))}
    if kind.startswith("schema or "):
        return _struct(SCHEMA, random, depth)
    if is_struct(kind):
        return _struct(kind, random, depth)
    return _scalar(kind, random)


def _scalar(kind: str, random: Random) -> Any:
    if kind == "bool":
        return random.random() < 0.5
    return random.choice(_CHOICES.get(kind, _TEXTS))
