"""Shared informers: one local cache per kind, any number of handlers that hear of its changes.

Upstream: client-go tools/cache/{shared_informer,controller}.go and informers/factory.go. Three kinds of task work on
one informer, as upstream's goroutines do: the reflector fills the FIFO; the process loop empties it into the indexer
and hands a notification to every listener; each listener calls its handler, one notification at a time and in order. So
a handler may find the indexer ahead of what it is being told, never behind.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lockstep.wire.gotime import SECOND
from lockstep.wire.meta import key_of, resource_version
from lockstep_reference.machinery.fifo import Bookmark, Changed, Deleted, Delta, RealFIFO, ReplacedAll
from lockstep_reference.machinery.listwatch import ListWatch
from lockstep_reference.machinery.reflector import Reflector
from lockstep_reference.machinery.store import (
    NAMESPACE_INDEX,
    DeletedFinalStateUnknown,
    Indexer,
    IndexFunc,
    Object,
    deletion_key_of,
    namespace_index,
)
from lockstep_reference.machinery.wakeup import Wakeup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lockstep_reference.machinery.client import Client, ResourceClient
    from lockstep_reference.machinery.transport import Clock

__all__ = [
    "DeletedFinalStateUnknown",
    "EventHandler",
    "Registration",
    "SharedInformer",
    "SharedInformerFactory",
    "deletion_key_of",
    "wait_for_named_cache_sync",
]

_MINIMUM_RESYNC_PERIOD = 1.0
_SYNCED_POLL_PERIOD = 0.1
#: How often one burst lets woken workers start before all of it is heard: as many workers as upstream has by default.
#: Without a bound, each pair of ten thousand notifications would bring one more sync over ten thousand pods.
_MOST_PAUSES = 5


def _ignore(*_objects: object) -> None:
    """The handler of what one does not want to hear."""


@dataclass(frozen=True, slots=True)
class EventHandler:
    """What to call; the objects must not be changed. An exception stops the whole controller, as a panic would."""

    on_add: Callable[[Object], None] = _ignore
    #: Also called with the same object twice, by a resync.
    on_update: Callable[[Object, Object], None] = _ignore
    on_delete: Callable[[Object | DeletedFinalStateUnknown], None] = _ignore
    #: How many workers the handler has woken so far (`RateLimitingQueue.woken`): see `Registration.run`.
    woken: Callable[[], int] = int


class Registration:
    """One handler of one informer (processorListener)."""

    def __init__(self, handler: EventHandler, informer_synced: Callable[[], bool], period: float, now: int) -> None:
        self._handler = handler
        self._informer_synced = informer_synced
        self._pending: deque[tuple[Object | None, Object | DeletedFinalStateUnknown | None, bool]] = deque()
        self._filled = Wakeup()
        self._initial = 0  # notifications of the initial list that the handler has not heard yet
        self.resync_period = period
        self._next_resync = now + round(period * SECOND)
        self.syncing = True  # every listener starts in the syncing set

    def has_synced(self) -> bool:
        """The informer has synced and the handler has heard of everything in its initial list."""
        return self._informer_synced() and self._initial == 0

    def notify(self, old: Object | DeletedFinalStateUnknown | None, new: Object | None, initial: bool = False) -> None:
        """Queue a notification: (None, new) is an addition, (old, None) a deletion."""
        self._initial += initial
        self._pending.append((new, old, initial))
        self._filled.wake()

    async def run(self) -> None:
        """Call the handler, for ever.

        In Go a notification passes through unbuffered channels (add, pop, run). While the handler hears one, the next
        waits in the sender's hand, so they are heard in pairs; then the goroutine that was made ready last runs. If
        that is a worker which the second of a pair woke, its sync begins before the next pair is heard; a worker that
        the first one woke has to let one more pair pass.
        """
        pending, handler = self._pending, self._handler
        while True:
            heard, woken = 0, handler.woken()
            rested, pauses = woken, 0
            while pending:
                new, old, initial = pending.popleft()
                if new is None:
                    assert old is not None
                    handler.on_delete(old)
                elif old is None:
                    handler.on_add(new)
                else:
                    assert isinstance(old, dict)
                    handler.on_update(old, new)
                self._initial -= initial
                heard, before, woken = heard + 1, woken, handler.woken()
                started = (heard % 2 == 0 and woken > before) or (heard % 4 == 0 and woken > rested)
                if started and pauses < _MOST_PAUSES:
                    pauses, rested = pauses + 1, woken
                    await asyncio.sleep(0)
            await self._filled.sleep()

    def should_resync(self, now: int) -> bool:
        """Whether the handler's period has passed, and if so when the next one ends."""
        self.syncing = self.resync_period > 0 and now >= self._next_resync
        if self.syncing:
            self._next_resync = now + round(self.resync_period * SECOND)
        return self.syncing


class SharedInformer:
    """The local cache of one kind and its handlers (sharedIndexInformer)."""

    def __init__(
        self,
        resource: ResourceClient,
        clock: Clock,
        rng: random.Random,
        resync: float = 0.0,
        order: random.Random | None = None,
    ) -> None:
        self.indexer = Indexer({NAMESPACE_INDEX: namespace_index}, order)
        self._resource = resource
        self._clock = clock
        self._rng = rng
        self._default_resync = resync
        self._resync_check_period = resync
        self._fifo = RealFIFO()
        self._synced = asyncio.Event()
        self._listeners: list[Registration] = []
        self._group: asyncio.TaskGroup | None = None
        self._reflector: Reflector | None = None

    def has_synced(self) -> bool:
        """The first list has reached the indexer. Its handlers may not have heard of it yet."""
        return self._fifo.has_synced()

    async def synced(self) -> None:
        """Wait until `has_synced`, without polling (HasSyncedChecker)."""
        await self._synced.wait()

    def last_sync_resource_version(self) -> str:
        """How far the reflector has read; the indexer may be behind."""
        return self._reflector.last_sync_resource_version if self._reflector else ""

    def add_indexers(self, indexers: Mapping[str, IndexFunc]) -> None:
        """Raises ValueError if one exists already."""
        self.indexer.add_indexers(indexers)

    def add_event_handler(self, handler: EventHandler, resync_period: float | None = None) -> Registration:
        """Tell `handler` of every change from now on, after an addition for everything that is in the cache already.

        `resync_period` in seconds, None for the factory's; at least one second, and never below the informer's once it
        runs (AddEventHandlerWithOptions).
        """
        period = self._default_resync if resync_period is None else resync_period
        if period > 0:
            period = max(period, _MINIMUM_RESYNC_PERIOD)
            if period < self._resync_check_period:
                if self._group is not None:
                    period = self._resync_check_period
                else:
                    self._resync_check_period = period
        effective = period if self._resync_check_period else 0.0
        listener = Registration(handler, self.has_synced, effective, self._clock.now())
        self._listeners.append(listener)
        if self._group is not None:
            for obj in self.indexer.list():
                listener.notify(None, obj, initial=True)
            self._group.create_task(listener.run())
        return listener

    def start(self, group: asyncio.TaskGroup) -> None:
        """Run in `group` until it is cancelled. Starting twice is no error and changes nothing."""
        if self._group is not None:
            return
        self._group = group
        self._reflector = Reflector(
            self._resource, self._fifo.push, self._clock, self._rng, self._resync_check_period, self._should_resync
        )
        for listener in self._listeners:
            group.create_task(listener.run())
        group.create_task(self._reflector.run())
        group.create_task(self._process_loop())

    # -- from the FIFO to the indexer and the listeners ----------------------------------------------------------------

    async def _process_loop(self) -> None:
        """controller.go, processLoop. Everything that is queued is processed in one go."""
        fifo = self._fifo
        while True:
            await fifo.wait()
            while (delta := fifo.pop()) is not None:
                self._process(delta, initial=not fifo.has_synced())
                fifo.processed()
            if fifo.has_synced():
                self._synced.set()

    def _process(self, delta: Delta, initial: bool) -> None:
        """Bring the indexer up to date, then tell the listeners (processDeltas)."""
        indexer = self.indexer
        if isinstance(delta, Changed):
            self._distribute(indexer.update(delta.obj), delta.obj, initial)
        elif isinstance(delta, Deleted):
            indexer.delete(delta.obj)
            self._distribute(delta.obj, None, initial)
        elif isinstance(delta, Bookmark):
            indexer.bookmark(delta.version)
        elif isinstance(delta, ReplacedAll):
            self._replace_all(delta, initial)
        else:
            for obj in indexer.list():
                self._distribute(obj, obj, initial)

    def _replace_all(self, delta: ReplacedAll, initial: bool) -> None:
        """First the store, then deletions, then additions and updates (processReplacedAllInfo)."""
        indexer = self.indexer
        keys = {key_of(obj) for obj in delta.objects}
        known = {key: indexer.get_by_key(key) for key in indexer.list_keys()}
        indexer.replace(delta.objects, delta.version)
        for key, obj in known.items():
            if key not in keys and obj is not None:
                self._distribute(DeletedFinalStateUnknown(key, obj), None, initial)
        for obj in delta.objects:
            self._distribute(known.get(key_of(obj)), obj, initial)

    def _distribute(self, old: Object | DeletedFinalStateUnknown | None, new: Object | None, initial: bool) -> None:
        """An update without a new version is a resync, and goes only to listeners that are syncing (OnUpdate)."""
        sync = new is not None and isinstance(old, dict) and resource_version(old) == resource_version(new)
        for listener in self._listeners:
            if not sync or listener.syncing:
                listener.notify(old, new, initial and old is None)

    def _should_resync(self) -> bool:
        now = self._clock.now()
        return True in [listener.should_resync(now) for listener in self._listeners]


class SharedInformerFactory:
    """One informer per kind, shared by everyone who asks (informers/factory.go).

    `resync` is the default resync period in seconds; `rng` feeds jitter. With `order`, iterating over a cache is random
    as in Go, and repeatable. `namespace` and `field_selector` restrict what the caches hold; "" is no restriction.
    """

    def __init__(
        self,
        client: Client,
        resync: float = 0.0,
        *,
        clock: Clock,
        rng: random.Random | None = None,
        order: random.Random | None = None,
        namespace: str = "",
        field_selector: str = "",
    ) -> None:
        self._client = client
        self._restriction = (namespace, field_selector)
        self._resync = resync
        self._clock = clock
        self._rng = rng or random.Random(0)
        self._order = order
        self._informers: dict[tuple[str, str], SharedInformer] = {}

    def for_resource(self, plural: str, group_version: str = "v1") -> SharedInformer:
        """The informer of a kind, made on first use: `for_resource("replicasets", "apps/v1")`."""
        key = (group_version, plural)
        if key not in self._informers:
            resource = ListWatch(self._client, plural, group_version, *self._restriction)
            self._informers[key] = SharedInformer(resource, self._clock, self._rng, self._resync, self._order)
        return self._informers[key]

    def start(self, group: asyncio.TaskGroup) -> None:
        """Start every informer that was asked for and does not run yet. Cancelling the group's parent stops them."""
        for informer in self._informers.values():
            informer.start(group)

    async def wait_for_cache_sync(self) -> None:
        """Wait until every informer that was started has synced, without polling (WaitForCacheSync)."""
        for informer in self._informers.values():
            await informer.synced()


async def wait_for_named_cache_sync(*has_synced: Callable[[], bool]) -> None:
    """Wait until all are true: looks at once, then every 100 ms (WaitForNamedCacheSyncWithContext, WaitForCacheSync).

    Upstream polls, so a controller whose caches fill without delay starts its workers after 100 ms.
    """
    while not all(synced() for synced in has_synced):  # noqa: ASYNC110 - the polling is what is reproduced
        await asyncio.sleep(_SYNCED_POLL_PERIOD)
