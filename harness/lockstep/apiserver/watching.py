"""Watches: where a stream starts, and which changes a selective watcher sees (apiserver/pkg/storage/cacher)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.messages import Watch, WatchEvent
from lockstep.apiserver.selectors import ObjectMatcher
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.store import Change
from lockstep.apiserver.stored import Stored
from lockstep.apiserver.versions import to_served_form

INITIAL_EVENTS_END = "k8s.io/initial-events-end"


def start_watch(state: State, call: Call, matches: ObjectMatcher | None) -> Watch:
    """A running watch with its first events in the buffer.

    Without a resourceVersion (or with "0") the current objects come first, as ADDED; with one, the changes after it.
    `sendInitialEvents=true` is a WatchList: objects first, then a bookmark that says so.
    """
    query, collection = call.request.query, call.collection
    text = query.get("resourceVersion", "")
    version = int(text) if text else 0
    initial = query.get("sendInitialEvents", "")
    watch = Watch()
    as_of = call.request.as_of
    if initial == "true" or (version == 0 and initial != "false"):
        shown = state.versions.current if as_of is None else as_of
        if initial == "true" and version > shown:
            shown = state.versions.current
        if shown < collection.compacted:
            return _refused(watch, shown, collection.compacted)
        for stored in _snapshot(call, shown, matches):
            watch.events.append(_added(stored, call.kind))
        if initial == "true" and query.get("allowWatchBookmarks") == "true":
            watch.events.append(bookmark(call.kind, shown, initial_end=True))
        version = shown
    elif version == 0:
        version = state.versions.current
    elif version < collection.compacted:
        return _refused(watch, version, collection.compacted)
    deliver = _delivery(watch, call, matches)
    if version > state.versions.current:
        deliver = _later_than(version, deliver)
    for change in collection.changes_after(version):
        deliver(change)
    collection.subscribe(watch, deliver, bookmarks=query.get("allowWatchBookmarks") == "true")
    return watch


def _snapshot(call: Call, version: int, matches: ObjectMatcher | None) -> list[Stored]:
    items = call.collection.as_of(version)
    namespace = call.namespace
    if namespace:
        prefix = f"{namespace}/"
        items = [item for item in items if item.key.startswith(prefix)]
    if matches is not None:
        items = [item for item in items if matches(item.object)]
    return items


def _added(stored: Stored, kind: Kind) -> WatchEvent:
    payload = to_served_form(stored.object, kind)
    return WatchEvent("ADDED", payload, stored if payload is stored.object else None)


def _refused(watch: Watch, version: int, oldest: int) -> Watch:
    """For a compacted version: one ERROR event, then the end, as the watch cache answers."""
    status = errors.expired(f"too old resource version: {version} ({oldest})").status
    watch.events.append(WatchEvent("ERROR", status))
    watch.closed = True
    return watch


def bookmark(kind: Kind, version: int, *, initial_end: bool = False) -> WatchEvent:
    """A bookmark; `initial_end` marks the end of the first part of a WatchList."""
    metadata: dict[str, Any] = {"resourceVersion": str(version)}
    if initial_end:
        metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
    return WatchEvent("BOOKMARK", {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata})


def _later_than(version: int, deliver: Callable[[Change], None]) -> Callable[[Change], None]:
    """A watch from a future version has no events until that version."""

    def late(change: Change) -> None:
        if change.version > version:
            deliver(change)

    return late


def _delivery(watch: Watch, call: Call, matches: ObjectMatcher | None) -> Callable[[Change], None]:
    """A function for each change: it passes the change on, changes its type, or drops it."""
    push, kind = watch.push, call.kind
    convert = bool(kind.stored_as)
    if matches is None and not call.namespace and not convert:
        return lambda change: push(change.event)
    prefix = f"{call.namespace}/" if call.namespace else ""

    def deliver(change: Change) -> None:
        new, old = change.new, change.old
        either = new if new is not None else old
        if prefix and either is not None and not either.key.startswith(prefix):
            return
        event = change.event
        if matches is not None:
            is_in = new is not None and matches(new.object)
            was_in = old is not None and matches(old.object)
            if not is_in and not was_in:
                return
            event = change.event_as("MODIFIED" if is_in and was_in else "ADDED" if is_in else "DELETED")
        if convert:
            event = WatchEvent(event.type, to_served_form(event.object, kind))
        push(event)

    return deliver
