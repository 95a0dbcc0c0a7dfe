"""Watches of a real server: a thread reads each, and its events arrive on the tenant's own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import orjson

from lockstep.apiserver import Watch, WatchEvent
from lockstep.clusters.real.tenant import Tenant
from lockstep.http import Stream

if TYPE_CHECKING:
    from lockstep.serving.boxes import Inbox

#: Types of events that are not about an object.
_GENERAL = frozenset({"BOOKMARK", "ERROR"})


class RemoteWatch(Watch):
    """The tenant's end of a watch by `actor`; `open_ones` has the open watches.

    `on_event` gets each event on the tenant's thread, before the reader does.
    """

    def __init__(
        self,
        actor: str,
        inbox: Inbox,
        stream: Stream,
        open_ones: set[RemoteWatch],
        on_event: Callable[[WatchEvent], None],
    ) -> None:
        super().__init__()
        self.actor = actor
        self._inbox = inbox
        self._on_event = on_event
        self._open_ones = open_ones
        open_ones.add(self)

        def leave() -> None:
            open_ones.discard(self)
            stream.close()

        self.attach(leave)

    def arrive(self, event: WatchEvent) -> None:
        """Any thread: an event has arrived."""
        self._inbox.put(partial(self._take, event))

    def _take(self, event: WatchEvent) -> None:
        self._on_event(event)
        self.push(event)

    def finish(self) -> None:
        """Any thread: the server has ended the stream."""
        self._inbox.put(self.close)


def pump(stream: Stream, watch: RemoteWatch, tenant: Tenant) -> None:
    """Start reading: events for the tenant arrive at `watch`."""

    def read() -> None:
        for line in filter(tenant.may_own, stream):
            event = orjson.loads(line)
            if event["type"] in _GENERAL or tenant.owns(event["object"]):
                plain = orjson.loads(tenant.plain(line))
                watch.arrive(WatchEvent(plain["type"], plain["object"]))
        watch.finish()

    threading.Thread(target=read, name="lockstep-watch", daemon=True).start()
