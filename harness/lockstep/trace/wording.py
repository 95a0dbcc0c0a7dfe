"""Values, writes, events and pods of a trace in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lockstep.trace.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_CHANGES = 3


def show(value: Any) -> str:
    """Any value of a trace on one line: an item as a sentence, text without quotes, everything else as JSON."""
    if value is ABSENT:
        return "(absent)"
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if "verb" in value:
            return sentence(value)
        if "phase" in value:
            return _counted(value, describe_pod(value))
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def sentence(item: Mapping[str, Any]) -> str:
    """A write or an event, with how often it occurred."""
    return _counted(item, _event(item) if "source" in item else _write(item))


def _counted(item: Mapping[str, Any], text: str) -> str:
    times = item.get("times", 1)
    return f"{times} x {text}" if times > 1 else text


def _write(item: Mapping[str, Any]) -> str:
    words = [f"{item['verb']} {item['resource']} {item['object']}"]
    if "pod" in item:
        words.append(f"({_state(item['pod'])})")
    if item.get("changes"):
        words.append(f"[{_changes(item['changes'])}]")
    elif "changes" in item:
        words.append("[nothing changed]")
    if "code" in item:
        words.append(f"- {_refusal(item)}")
    return " ".join(words)


def _refusal(item: Mapping[str, Any]) -> str:
    if not item["code"]:
        return "the connection broke"
    reason = f" {item['reason']}" if "reason" in item else ""  # a webhook's refusal has no reason
    return f"refused with {item['code']}{reason}: {item['message']}"


def _changes(changes: Mapping[str, Any]) -> str:
    shown = [
        f"{path}: {'(absent)' if old is None else show(old)} -> {'(absent)' if new is None else show(new)}"
        for path, (old, new) in list(changes.items())[:_MOST_CHANGES]
    ]
    if len(changes) > _MOST_CHANGES:
        shown.append(f"and {len(changes) - _MOST_CHANGES} more")
    return "; ".join(shown)


def _event(item: Mapping[str, Any]) -> str:
    count = "" if item["count"] == 1 else f", count {item['count']}"
    text = f'{item["type"]} event on {item["object"]}: {item["reason"]} "{item["message"]}"{count}'
    if item["verb"] != "create":
        text += f" ({item['verb']})"
    if "failure" in item:
        text += f" - refused with {item['failure']['code']} {item['failure']['reason']}"
    return text


def describe_pod(pod: Mapping[str, Any]) -> str:
    """A pod's description in words."""
    return f"pod {pod.get('pod', '')} ({_state(pod)})"


def _state(pod: Mapping[str, Any]) -> str:
    words = [
        str(pod.get("phase", "no phase")),
        "ready since {ready} s" if "ready" in pod else "not ready",
        "" if pod.get("scheduled") else "not scheduled",
        "{restarts} restarts" if "restarts" in pod else "",
        "{sidecar_restarts} sidecar restarts" if "sidecar_restarts" in pod else "",
        "deletion cost {cost}" if "cost" in pod else "",
        "{colocated} related pods on its node" if "colocated" in pod else "",
        "created {created} s" if "created" in pod else "",
        "being deleted, until {deleted} s" if "deleted" in pod else "",
    ]
    return ", ".join(word.format_map(pod) for word in words if word)
