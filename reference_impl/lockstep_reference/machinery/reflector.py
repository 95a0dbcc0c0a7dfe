"""The reflector: keeps a store equal to a collection of the API server, by list and watch.

Upstream: client-go tools/cache/reflector.go at 1.36, where the first list comes as a watch (gate WatchListClient): the
server streams every object as ADDED, then a bookmark, then the changes. Plain list and watch is the fallback.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from lockstep.wire.gotime import SECOND
from lockstep.wire.meta import key_of, resource_version
from lockstep_reference.machinery.backoff import BackoffManager
from lockstep_reference.machinery.errors import (
    ApiError,
    UnexpectedObjectError,
    from_object,
    is_expired,
    is_too_large_resource_version,
    is_too_many_requests,
)
from lockstep_reference.machinery.fifo import Bookmark, Changed, Deleted, Delta, ReplacedAll, SyncAll

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from lockstep_reference.machinery.client import ResourceClient
    from lockstep_reference.machinery.store import Object
    from lockstep_reference.machinery.transport import Clock, WatchStream

log = logging.getLogger(__name__)

#: Marks the bookmark that ends the initial events of a watch list.
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
_MIN_WATCH_TIMEOUT = 300  # seconds; the maximum is twice that
_PAGE_SIZE = 500


class VeryShortWatchError(Exception):
    """The server ended a watch within a second, without a single event."""


_Failure = (ApiError, ConnectionError, UnexpectedObjectError, VeryShortWatchError)


class Reflector:
    """Feeds `push` with what happens to a collection.

    `resync_period` is in seconds, 0 for none; then `should_resync` is asked whenever the period has passed.
    """

    def __init__(
        self,
        resource: ResourceClient,
        push: Callable[[Delta], None],
        clock: Clock,
        rng: random.Random,
        resync_period: float = 0.0,
        should_resync: Callable[[], bool] = lambda: True,
    ) -> None:
        self._resource = resource
        self._push = push
        self._clock = clock
        self._rng = rng
        self._resync_period = resync_period
        self._should_resync = should_resync
        self._backoff = BackoffManager(clock, rng)
        #: The resourceVersion up to which the store is known to be current (LastSyncResourceVersion).
        self.last_sync_resource_version = ""
        self._unavailable = False  # the server no longer knows, or does not know yet, that version
        self._paginated = False

    async def run(self) -> None:
        """List and watch for ever, with back-off in between (RunWithContext)."""
        while True:
            try:
                await self._list_and_watch()
            except _Failure as error:
                log.info("failed to watch %s: %s", self._resource.name, error)
            await asyncio.sleep(self._backoff.step())

    async def _list_and_watch(self) -> None:
        """ListAndWatchWithContext."""
        stream: WatchStream | None
        try:
            stream = await self._watch_list()
        except _Failure as error:
            log.debug("cannot stream %s, listing instead: %s", self._resource.name, error)
            stream = None
            await self._list()
        resync = asyncio.ensure_future(self._resync()) if self._resync_period else None
        try:
            await self._watch(stream)
        finally:
            if resync is not None:
                resync.cancel()

    async def _resync(self) -> None:
        """Ask for a resync whenever the period has passed (startResync)."""
        while True:
            await asyncio.sleep(self._resync_period)
            if self._should_resync():
                self._push(SyncAll())

    # -- the initial state ---------------------------------------------------------------------------------------------

    async def _watch_list(self) -> WatchStream:
        """Replace the store by what a watch streams first; the open watch (watchList). Raises if it cannot be had."""
        while True:
            stream: WatchStream | None = None
            version = "" if self._unavailable else self.last_sync_resource_version
            query = self._watch_query(version)
            query.update(sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
            try:
                stream = await self._resource.watch(query)
                state = _InitialState()
                if not await self._consume(stream, state.receive, until_bookmark=True):
                    continue
            except _Failure as error:
                if not await self._retry_watch_list(error):
                    raise
                continue
            self._unavailable = False
            self._push(ReplacedAll(list(state.objects.values()), state.version))
            self.last_sync_resource_version = state.version
            return stream

    async def _retry_watch_list(self, error: Exception) -> bool:
        """Whether to stream again, after a back-off where one is due."""
        if _retriable(error):
            await asyncio.sleep(self._backoff.step())
            return True
        if is_expired(error) or is_too_large_resource_version(error):
            self._unavailable = True
            return True
        return False

    async def _list(self) -> None:
        """Replace the store by a list (list)."""
        version = self._relist_resource_version()
        try:
            objects, listed = await self._list_pages(version)
        except ApiError as error:
            if not (is_expired(error) or is_too_large_resource_version(error)):
                raise
            self._unavailable = True
            objects, listed = await self._list_pages(self._relist_resource_version())
        self._unavailable = False
        self._push(ReplacedAll(objects, listed))
        self.last_sync_resource_version = listed

    def _relist_resource_version(self) -> str:
        """The version to list: "" asks for the latest state, "0" for any (relistResourceVersion)."""
        return "" if self._unavailable else self.last_sync_resource_version or "0"

    async def _list_pages(self, version: str) -> tuple[list[Object], str]:
        """Every object and the list's resourceVersion (tools/pager/pager.go, ListPager.list)."""
        query = {"resourceVersion": version} if version else {}
        # With a version the watch cache can answer, but only a list without limit.
        if version in ("", "0") or self._paginated:
            query["limit"] = str(_PAGE_SIZE)
        objects: list[Object] = []
        listed = ""
        pages = 0
        while True:
            try:
                page = await self._resource.list(query=query)
            except ApiError as error:
                if error.reason != "Expired" or "continue" not in query:
                    raise
                page = await self._resource.list(query={"resourceVersion": version} if version else {})
                return _items(page), page["metadata"].get("resourceVersion") or ""
            objects.extend(_items(page))
            listed = listed or page["metadata"].get("resourceVersion") or ""
            pages += 1
            token = page["metadata"].get("continue")
            if not token:
                self._paginated = self._paginated or (version == "0" and pages > 1)
                return objects, listed
            query = {"limit": str(_PAGE_SIZE), "continue": token}

    # -- changes -------------------------------------------------------------------------------------------------------

    async def _watch(self, stream: WatchStream | None) -> None:
        """Follow the collection, reopening the watch when it ends (watch).

        Returns when the state has to be fetched anew; raises if a watch cannot be opened.
        """
        while True:
            from_start = True  # a fresh watch from "" or "0" first sends objects in no order of version
            if stream is None:
                from_start = self.last_sync_resource_version not in ("", "0")
                try:
                    stream = await self._resource.watch(self._watch_query(self.last_sync_resource_version))
                except _Failure as error:
                    if not _retriable(error):
                        raise
                    await asyncio.sleep(self._backoff.step())
                    continue
            try:
                await self._consume(stream, self._receiver(from_start))
            except _Failure as error:
                if not is_too_many_requests(error):
                    log.info("watch of %s ended: %s", self._resource.name, error)
                    return
                await asyncio.sleep(self._backoff.step())
            stream = None

    def _receiver(self, from_start: bool) -> Callable[[str, Object], bool]:
        """What to do with a watch event, by type; returns whether it ends the initial events (handleAnyWatch)."""
        past_initial = from_start

        def receive(kind: str, obj: Object) -> bool:
            nonlocal past_initial
            ends_initial = False
            if kind in ("ADDED", "MODIFIED"):
                self._push(Changed(obj))
            elif kind == "DELETED":
                self._push(Deleted(obj))
            else:
                self._push(Bookmark(resource_version(obj)))
                ends_initial = _ends_initial_events(obj)
            past_initial = past_initial or kind != "ADDED"
            if past_initial:
                self.last_sync_resource_version = resource_version(obj)
            return ends_initial

        return receive

    async def _consume(
        self, stream: WatchStream, receive: Callable[[str, Object], bool], until_bookmark: bool = False
    ) -> bool:
        """Pass every event on until the stream ends; False (handleAnyWatch). Raises the error that ended it.

        With `until_bookmark`, True as soon as the initial events have ended, and the stream stays open.
        """
        start = self._clock.now()
        events = 0
        stay_open = False
        try:
            while True:
                try:
                    event = await stream.next()
                except ConnectionError:  # an ordinary end of the stream (watch/streamwatcher.go, receive)
                    break
                if event is None:
                    break
                kind, obj = event
                if kind == "ERROR":
                    raise from_object(obj)
                if kind not in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK"):
                    log.error("unknown watch event %r for %s is ignored", kind, self._resource.name)
                    continue
                stay_open = receive(kind, obj) and until_bookmark
                events += 1
                if stay_open:
                    return True
        finally:
            if not stay_open:
                stream.close()
        if events == 0 and self._clock.now() - start < SECOND:
            raise VeryShortWatchError(
                f"very short watch: {self._resource.name}: the watch lasted less than a second and no items came; "
                "the state will be fetched anew"
            )
        return False

    def _watch_query(self, version: str) -> dict[str, str]:
        seconds = int(_MIN_WATCH_TIMEOUT + self._rng.random() * _MIN_WATCH_TIMEOUT)
        query = {
            "allowWatchBookmarks": "true",
            "timeout": f"{seconds // 60}m{seconds % 60}s",
            "timeoutSeconds": str(seconds),
        }
        if version:
            query["resourceVersion"] = version
        return query


class _InitialState:
    """Collects the initial events of a watch list: upstream's temporary store."""

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}
        self.version = ""

    def receive(self, kind: str, obj: Object) -> bool:
        if kind == "DELETED":
            self.objects.pop(key_of(obj), None)
        elif kind != "BOOKMARK":
            self.objects[key_of(obj)] = obj
        if kind == "ADDED" and not self.version:
            return False
        self.version = resource_version(obj)
        return kind == "BOOKMARK" and _ends_initial_events(obj)


def _ends_initial_events(obj: Object) -> bool:
    return (obj["metadata"].get("annotations") or {}).get(INITIAL_EVENTS_END) == "true"


def _retriable(error: Exception) -> bool:
    """Whether to try the same watch again rather than fetch the state anew (isWatchErrorRetriable)."""
    return isinstance(error, ConnectionRefusedError) or is_too_many_requests(error)


def _items(page: dict[str, Any]) -> list[Object]:
    """The objects of a list, each with the kind and apiVersion that a server leaves out in lists."""
    group_version, kind = page.get("apiVersion", ""), page.get("kind", "").removesuffix("List")
    return [
        item if "kind" in item else {"kind": kind, "apiVersion": group_version, **item} for item in page["items"] or ()
    ]
