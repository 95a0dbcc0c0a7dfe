"""Discovery on real ground: a tenant's metrics APIs take the place of the cluster's in the list of groups (`/apis`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]
#: Where a list of groups has its entries, by its kind: the legacy one, and that of aggregated discovery.
_ENTRIES = {"APIGroupList": "groups", "APIGroupDiscoveryList": "items"}


def with_groups(real: Document, local: Document, groups: frozenset[str]) -> dict[str, Any]:
    """A list of groups: what `local` says of `groups`, and what `real` says of all others."""
    field = _ENTRIES.get(real["kind"])
    if field is None or local["kind"] != real["kind"]:
        return dict(real)
    others = [one for one in real[field] or () if _name(one) not in groups]
    return {**real, field: [*others, *(one for one in local[field] or () if _name(one) in groups)]}


def _name(entry: Document) -> str:
    return str(entry.get("name") or (entry.get("metadata") or {}).get("name", ""))
