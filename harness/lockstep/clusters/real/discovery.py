"""Discovery on a real cluster: in the list of groups (`/apis`), a tenant's metrics APIs replace the cluster's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]
#: The field with the entries of a list of groups, by its kind: legacy or aggregated discovery.
_ENTRIES = {"APIGroupList": "groups", "APIGroupDiscoveryList": "items"}


def with_groups(real: Document, local: Document, groups: frozenset[str]) -> dict[str, Any]:
    """A list of groups: the entries of `groups` from `local`, and all others from `real`."""
    field = _ENTRIES.get(real["kind"])
    if field is None or local["kind"] != real["kind"]:
        return dict(real)
    others = [one for one in real[field] or () if _name(one) not in groups]
    return {**real, field: [*others, *(one for one in local[field] or () if _name(one) in groups)]}


def _name(entry: Document) -> str:
    return str(entry.get("name") or (entry.get("metadata") or {}).get("name", ""))
