"""The HPA controller: its queue, its workers, and what the informer tells it.

Source: pkg/controller/podautoscaler/horizontal.go, NewHorizontalController to processNextWorkItem.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lockstep.wire.gotime import SECOND
from lockstep.wire.meta import key_of
from lockstep_reference.hpa.rate_limiters import FixedItemIntervalRateLimiter
from lockstep_reference.hpa.reconcile import ReconcileError, Reconciler
from lockstep_reference.hpa.target_pods import TargetPods
from lockstep_reference.machinery.events import EventBroadcaster
from lockstep_reference.machinery.informer import (
    EventHandler,
    SharedInformer,
    deletion_key_of,
    wait_for_named_cache_sync,
)
from lockstep_reference.machinery.store import DeletedFinalStateUnknown, Object
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.machinery.workqueue import RateLimitingQueue


class HorizontalController:
    """Syncs every HPA once in each `sync_period` (seconds). `on_error` is told of failed syncs, in upstream's words."""

    def __init__(
        self,
        hpa_informer: SharedInformer,
        pod_informer: SharedInformer,
        reconciler: Reconciler,
        target_pods: TargetPods,
        *,
        broadcaster: EventBroadcaster,
        clock: Clock,
        sync_period: float,
        on_error: Callable[[str], None],
    ) -> None:
        self._hpa_lister = hpa_informer.indexer
        self._synced = (hpa_informer.has_synced, pod_informer.has_synced)
        self._reconciler = reconciler
        self._target_pods = target_pods
        self._broadcaster = broadcaster
        self._on_error = on_error
        self.queue: RateLimitingQueue[str] = RateLimitingQueue(
            clock, FixedItemIntervalRateLimiter(round(sync_period * SECOND))
        )
        handler = EventHandler(self.enqueue_hpa, self.update_hpa, self.delete_hpa, lambda: self.queue.woken)
        hpa_informer.add_event_handler(handler, sync_period)

    # -- what the informer tells ---------------------------------------------------------------------------------------

    def update_hpa(self, _old: Object, cur: Object) -> None:
        """An HPA changed, or is resynced."""
        self.enqueue_hpa(cur)

    def enqueue_hpa(self, hpa: Object) -> None:
        """Sync in a period from now; one that waits already keeps its time, so a change hastens nothing."""
        key = key_of(hpa)
        self.queue.add_rate_limited(key)
        self._target_pods.add(key)

    def delete_hpa(self, hpa: Object | DeletedFinalStateUnknown) -> None:
        """An HPA is gone. What is remembered of it goes with its next sync, unless a new one is there by then."""
        key = deletion_key_of(hpa)
        self.queue.forget(key)
        self._target_pods.delete(key)

    # -- workers -------------------------------------------------------------------------------------------------------

    async def run(self, workers: int) -> None:
        """Start recording events, wait for the caches, then work until cancelled. The informers run elsewhere."""
        try:
            async with asyncio.TaskGroup() as group:
                self._broadcaster.start(group)
                await wait_for_named_cache_sync(*self._synced)
                for _ in range(workers):
                    group.create_task(self.worker())
        finally:
            self.queue.shut_down()

    async def worker(self) -> None:
        """Work on one key after the other, until the queue is shut down."""
        while await self.process_next_work_item():
            pass

    async def process_next_work_item(self) -> bool:
        """Sync the next key, and queue it again for the next period; False once the queue is shut down."""
        key, shutdown = await self.queue.get()
        if shutdown or key is None:
            return False
        deleted = False
        try:
            deleted = await self.reconcile_key(key)
        except ReconcileError as error:
            self._on_error(str(error))
        if not deleted:
            self.queue.add_rate_limited(key)
        self.queue.done(key)
        return True

    async def reconcile_key(self, key: str) -> bool:
        """Sync the HPA "namespace/name"; whether it is gone. Raises ReconcileError."""
        hpa = self._hpa_lister.get_by_key(key)
        if hpa is None:
            self._reconciler.forget(key)
            return True
        await self._reconciler.reconcile_autoscaler(hpa, key)
        return False
