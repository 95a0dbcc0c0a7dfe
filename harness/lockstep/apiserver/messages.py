"""The input and output of the API server: requests, replies, watches and their events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from lockstep.apiserver.stored import Stored

if TYPE_CHECKING:
    from lockstep.apiserver.webhooks.reviews import Hearing, Review

_SHOWN_BYTES = 30
_ANY_OBJECT = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
#: The message for a request without a required body.
NO_JSON = "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"
NO_QUERY: Mapping[str, str] = {}
JSON_HEADERS: Mapping[str, str] = {"Content-Type": "application/json"}


class Request:
    """One API request.

    `as_of` answers a list or watch from the collection as it was at that resourceVersion. `accept` is the Accept
    header, "" for plain JSON; only discovery looks at it. `hearing` holds what webhooks have said about it so far.
    `complaints`: what the transport found wrong with the body's form, such as fields that it names twice.
    `trusted`: the body was made for this request, in canonical form, by a caller that knows the shapes. So the status
    in it is neither copied nor checked.
    """

    __slots__ = (
        "accept",
        "actor",
        "as_of",
        "body",
        "complaints",
        "content_type",
        "hearing",
        "method",
        "path",
        "query",
        "trusted",
    )

    def __init__(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] = NO_QUERY,
        body: Any = None,
        content_type: str = "application/json",
        actor: str = "",
        as_of: int | None = None,
        accept: str = "",
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.content_type = content_type
        self.actor = actor
        self.as_of = as_of
        self.accept = accept
        self.hearing: Hearing | None = None
        self.complaints: Sequence[str] = ()
        self.trusted = False


class Unreadable:
    """Stands for a body that is not a JSON object. The request is refused for it, unless an earlier check refuses it.

    `why`: the message of Go's decoder.
    """

    __slots__ = ("_raw", "why")

    def __init__(self, why: str, raw: bytes = b"") -> None:
        self.why = why
        self._raw = raw

    @property
    def told(self) -> str:
        """The message where an object was expected (handlers/rest.go, summarizeData)."""
        shown = self._raw.decode(errors="replace") if self._raw.startswith(b"{") else self._raw.hex()
        most = _SHOWN_BYTES if self._raw.startswith(b"{") else 2 * _SHOWN_BYTES
        shown = f"{shown[:most]} ..." if len(self._raw) > _SHOWN_BYTES else shown
        return f"couldn't get version/kind; json parse error: {self.why} ({shown or '<empty>'})"


def no_object(found: str, raw: bytes) -> Unreadable:
    """For a body that is JSON, but of another type than an object: `found`, as Go calls it."""
    return Unreadable(f"json: cannot unmarshal {found} into Go value of type {_ANY_OBJECT}", raw)


class WatchEvent:
    """One event of a watch. Shared between watches: neither it nor its object may be changed."""

    __slots__ = ("_raw", "_stored", "object", "type")

    def __init__(self, kind: str, payload: dict[str, Any], stored: Stored | None = None) -> None:
        #: "ADDED", "MODIFIED", "DELETED", "BOOKMARK" or "ERROR".
        self.type = kind
        self.object = payload
        self._stored = stored
        self._raw: bytes | None = None

    def raw(self) -> bytes:
        """The event as it goes over the wire, made once."""
        if self._raw is None:
            payload = self._stored.raw() if self._stored is not None else orjson.dumps(self.object)
            self._raw = b'{"type":"%s","object":%s}' % (self.type.encode(), payload)
        return self._raw


class Watch:
    """A running watch: a buffer of events that its owner drains. It lives until one side ends it."""

    __slots__ = ("_unsubscribe", "closed", "events", "on_event")

    def __init__(self) -> None:
        self.events: deque[WatchEvent] = deque()
        #: Called when `events` goes from empty to non-empty, and when the server closes the watch.
        self.on_event: Callable[[], None] | None = None
        self.closed = False
        self._unsubscribe: Callable[[], None] | None = None

    def push(self, event: WatchEvent) -> None:
        """Server side: append one event."""
        events = self.events
        events.append(event)
        if len(events) == 1 and self.on_event is not None:
            self.on_event()

    def take(self) -> list[WatchEvent]:
        """Client side: the events that have arrived; all of them, unless a subclass delivers them in pieces."""
        taken = [*self.events]
        self.events.clear()
        return taken

    def attach(self, unsubscribe: Callable[[], None]) -> None:
        """Server side: how to leave the collection."""
        self._unsubscribe = unsubscribe

    def stop(self) -> None:
        """Client side: stop the watch."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self.closed = True

    def close(self) -> None:
        """Server side: end the stream; events already buffered can still be read."""
        if not self.closed:
            self.stop()
            if self.on_event is not None:
                self.on_event()


class Reply:
    """The answer to a request. `body` is shared with the store: it may not be changed.

    With a `review` it is not an answer yet: a webhook has to be asked first (see `ApiServer.submit`).
    """

    __slots__ = ("_items", "_raw", "_stored", "body", "headers", "review", "status", "watch")

    def __init__(
        self,
        status: int,
        body: dict[str, Any] | None,
        *,
        stored: Stored | None = None,
        items: Sequence[Stored] | None = None,
        watch: Watch | None = None,
        headers: Mapping[str, str] = JSON_HEADERS,
    ) -> None:
        self.status = status
        self.body = body
        self.watch = watch
        self.headers = headers
        self.review: Review | None = None
        self._stored = stored
        self._items = items
        self._raw: bytes | None = None

    def raw(self) -> bytes:
        """The body as JSON. A stored object is serialised once per version, for all readers."""
        if self._stored is not None:
            return self._stored.raw()
        if self._raw is None:
            if self._items is not None and self.body is not None:
                envelope = orjson.dumps({key: value for key, value in self.body.items() if key != "items"})
                items = b",".join([item.raw() for item in self._items])
                self._raw = b'%s,"items":[%s]}' % (envelope[:-1], items)
            else:
                self._raw = orjson.dumps(self.body)
        return self._raw

    def warning(self, texts: Sequence[str]) -> Reply:
        """This reply with warnings for the client, as `Warning` headers carry them."""
        told = ", ".join(f"299 - {orjson.dumps(text).decode()}" for text in texts)
        self.headers = {**self.headers, "Warning": told}
        return self

    @property
    def content(self) -> Any:
        """The body for a client: a JSON value, or text."""
        return self.body


class TextReply(Reply):
    """A reply whose body is `text` instead of JSON, with any `content_type`."""

    __slots__ = ("text",)

    def __init__(self, status: int, text: str, content_type: str = "text/plain; charset=utf-8") -> None:
        super().__init__(status, None, headers={"Content-Type": content_type})
        self.text = text

    def raw(self) -> bytes:
        """The text as bytes."""
        return self.text.encode()

    @property
    def content(self) -> Any:
        """The text."""
        return self.text
