"""Server-side tables: what `kubectl get` prints (pkg/printers/internalversion, apiserver/pkg/endpoints/handlers)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lockstep.serving.negotiation import Form
from lockstep.serving.tables.column import Columns

Object = dict[str, Any]


def shaped(body: Object, form: Form, columns: Columns, now: int, include: str) -> Object:
    """An object or list in the shape that the client asked for. A Status stays what it is."""
    if body.get("kind") == "Status" and body.get("apiVersion") == "v1":
        return body
    items = body.get("items") if str(body.get("kind", "")).endswith("List") else None
    if form.shape == "Table":
        rows = items if isinstance(items, list) else [body]
        return table(body, rows, columns, now, include, form.version)
    if isinstance(items, list):
        partial = [metadata_only(one, form.version) for one in items]
        return {
            "kind": "PartialObjectMetadataList",
            "apiVersion": f"meta.k8s.io/{form.version}",
            "metadata": body.get("metadata") or {},
            "items": partial,
        }
    return metadata_only(body, form.version)


def metadata_only(one: Object, version: str = "v1") -> Object:
    """PartialObjectMetadata: only the metadata of an object."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": one.get("metadata") or {},
    }


def table(body: Object, items: Iterable[Object], columns: Columns, now: int, include: str, version: str) -> Object:
    """A Table; `include` says which part of each object is in its row: None, Metadata or Object."""
    metadata = body.get("metadata") or {}
    kept = ("resourceVersion", "continue", "remainingItemCount")
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "columnDefinitions": columns.definitions,
        "rows": [_row(one, columns, now, include, version) for one in items],
    }


def _row(one: Object, columns: Columns, now: int, include: str, version: str) -> Object:
    row: Object = {"cells": columns.cells(one, now)}
    if include == "Object":
        row["object"] = one
    elif include != "None":
        row["object"] = metadata_only(one, version)
    return row
