"""How the objects of the built-in kinds are addressed: their entries in discovery, for all GA versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

_TABLE = Path(__file__).with_name("resources.json")


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one API version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    #: By name, in alphabetical order.
    subresources: tuple[str, ...]


@cache
def resources() -> Mapping[tuple[str, str, str], Resource]:
    """All resources by group, version and plural; the groups by their priority, the core group first."""
    return {
        (group["group"], group["version"], row["plural"]): Resource(
            group=group["group"],
            version=group["version"],
            kind=row["kind"],
            plural=row["plural"],
            namespaced=row["namespaced"],
            verbs=tuple(row["verbs"]),
            short_names=tuple(row.get("shortNames", ())),
            categories=tuple(row.get("categories", ())),
            subresources=tuple(row.get("subresources", ())),
        )
        for group in orjson.loads(_TABLE.read_bytes())["groups"]
        for row in group["resources"]
    }
