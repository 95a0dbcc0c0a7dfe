"""The two faces of an event: core/v1, as it is stored, and events.k8s.io/v1 (pkg/apis/events/v1/conversion.go)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver.kinds import Kind

GROUP = "events.k8s.io"
#: events.k8s.io/v1 name -> core/v1 name.
_NAMES = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
#: Of an event of events.k8s.io/v1, left out where they are empty.
_LEFT_OUT = frozenset({"reportingController", "reportingInstance"})
_BACK = {old: new for new, old in _NAMES.items()}


def to_stored_form(body: dict[str, Any]) -> dict[str, Any]:
    """An event of events.k8s.io/v1 with the names of core/v1."""
    return {_NAMES.get(key, key): item for key, item in body.items()}


def to_served_form(payload: dict[str, Any], kind: Kind) -> dict[str, Any]:
    """A stored event as the other API group serves it."""
    names = _BACK if kind.group else _NAMES
    shown = {names.get(key, key): item for key, item in payload.items()}
    if kind.group:
        shown = {key: item for key, item in shown.items() if item != "" or key not in _LEFT_OUT}
    return {**shown, "apiVersion": kind.api_version}


def stored_field(path: str) -> str:
    """A field selector's path on events.k8s.io/v1 in terms of the stored form."""
    head, dot, rest = path.partition(".")
    return f"{_NAMES.get(head, head)}{dot}{rest}"
