"""Feeds: what the actors of the world know about the cluster, through ordinary list and watch requests.

A feed drains its watch in a world step of its own, never inside the write that caused the event. Its listeners only
note what they see and plan later steps. So the world never reacts to a write earlier than a real cluster could.
"""

from __future__ import annotations

from collections.abc import Callable

from lockstep.apiserver import Watch
from lockstep.time.loop import VirtualLoop
from lockstep.world.api import Api, Object, WorldError

#: Gets the type of an event (ADDED, MODIFIED, DELETED) and the object, which is shared and may not be changed.
Handler = Callable[[str, Object], None]


class Feed:
    """The events of one collection, handed to all that listen."""

    def __init__(self, loop: VirtualLoop, api: Api, path: str) -> None:
        self.handlers: list[Handler] = []
        #: Whether events wait to be handed out.
        self.pending = False
        self._loop = loop
        self._api = api
        self._path = path
        self._watch: Watch | None = None
        self._version = ""

    def start(self) -> None:
        """Report what exists as ADDED, then follow the collection."""
        listing = self._api.get(self._path).body or {}
        for one in listing.get("items", ()):
            self._hand_out("ADDED", one)
        self._version = listing["metadata"]["resourceVersion"]
        self._subscribe()

    def stop(self) -> None:
        """Leave the collection."""
        if self._watch is not None:
            self._watch.on_event = None
            self._watch.stop()
            self._watch = None

    def _subscribe(self) -> None:
        """Watch from the last version seen. The server may end a watch at any time."""
        watch = self._api.get(self._path, {"watch": "true", "resourceVersion": self._version}).watch
        if watch is None:
            raise WorldError(f"the API server answered the watch of {self._path} without a stream of events")
        self._watch = watch
        watch.on_event = self._wake
        if watch.events:
            self._wake()

    def _wake(self) -> None:
        if not self.pending:
            self.pending = True
            self._loop.world_at(self._loop.now, self._drain)

    def _drain(self) -> None:
        self.pending = False
        watch = self._watch
        if watch is None:
            return
        events = watch.events
        while events:
            event = events.popleft()
            self._hand_out(event.type, event.object)
            self._version = event.object["metadata"]["resourceVersion"]
        if watch.closed:
            self._subscribe()

    def _hand_out(self, kind: str, one: Object) -> None:
        for handler in self.handlers:
            handler(kind, one)


class Feeds:
    """One feed per collection, shared by all actors of the world."""

    def __init__(self, loop: VirtualLoop, api: Api) -> None:
        self._loop = loop
        self._api = api
        self._feeds: dict[str, Feed] = {}
        self._started = False

    def listen(self, path: str, *handlers: Handler) -> None:
        """Hand the events of the collection at `path` to `handlers`, in this order.

        If the other feeds have started, a new collection's feed starts at once.
        """
        feed = self._feeds.get(path)
        if feed is None:
            feed = self._feeds[path] = Feed(self._loop, self._api, path)
            feed.handlers.extend(handlers)
            if self._started:
                feed.start()
        else:
            feed.handlers.extend(handlers)

    def start(self) -> None:
        """Start all feeds."""
        self._started = True
        for feed in list(self._feeds.values()):
            feed.start()

    def leave(self, path: str) -> None:
        """Stop following a collection that no longer exists."""
        feed = self._feeds.pop(path, None)
        if feed is not None:
            feed.stop()

    def pending(self) -> bool:
        """Whether events wait to be handed out."""
        return any(feed.pending for feed in self._feeds.values())
