"""The form in which objects are stored, and the form in which each API version shows them."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import events
from lockstep.apiserver.autoscaling import conversion
from lockstep.apiserver.kinds import Kind


def to_stored_form(body: Any, kind: Kind) -> Any:
    """A request's body with the names of the stored form; its apiVersion stays that of the request."""
    if kind.group != events.GROUP or not isinstance(body, dict):
        return body
    return events.to_stored_form(body)


def to_served_form(payload: dict[str, Any], kind: Kind) -> dict[str, Any]:
    """A stored object as this kind's API version serves it."""
    if payload["apiVersion"] == kind.api_version:
        return payload
    if kind.strategic and kind.kind == "Event":
        return events.to_served_form(payload, kind)
    if kind.strategic and kind.kind == "HorizontalPodAutoscaler":
        return conversion.to_v1(payload)
    return {**payload, "apiVersion": kind.api_version}
