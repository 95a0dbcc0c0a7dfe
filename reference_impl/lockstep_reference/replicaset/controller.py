"""The ReplicaSet controller: what it is made of, and its workers.

Informers call the `EventHandlers`, which put keys on a queue; workers take keys off and hand them to `ReplicaSetSync`.

Source: pkg/controller/replicaset/replica_set.go, NewReplicaSetController, Run, worker, processNextWorkItem.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.consistency import ConsistencyStore
from lockstep_reference.machinery.events import EventBroadcaster
from lockstep_reference.machinery.expectations import UIDTrackingControllerExpectations
from lockstep_reference.machinery.informer import EventHandler, SharedInformer, wait_for_named_cache_sync
from lockstep_reference.machinery.pod_control import RealPodControl
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.machinery.workqueue import RateLimitingQueue
from lockstep_reference.replicaset.handlers import EventHandlers
from lockstep_reference.replicaset.lister import (
    API_VERSION,
    CONTROLLER_UID_INDEX,
    POD_CONTROLLER_INDEX,
    PodLister,
    ReplicaSetLister,
    controller_uid_index,
    pod_controller_index,
)
from lockstep_reference.replicaset.manage_replicas import BURST_REPLICAS, ReplicaManager
from lockstep_reference.replicaset.sync import PODS, REPLICA_SETS, SYNC_ERRORS, ReplicaSetSync


class ReplicaSetController:
    """Keeps as many pods of each ReplicaSet as its spec asks for.

    One sync creates or deletes at most `burst_replicas` pods. `on_error` receives upstream's message for each failed
    sync, and for errors of users.
    """

    def __init__(
        self,
        client: Client,
        rs_informer: SharedInformer,
        pod_informer: SharedInformer,
        *,
        clock: Clock,
        broadcaster: EventBroadcaster,
        burst_replicas: int = BURST_REPLICAS,
        on_error: Callable[[str], None] = lambda _message: None,
    ) -> None:
        self._broadcaster = broadcaster
        self._on_error = on_error
        self._synced = (pod_informer.has_synced, rs_informer.has_synced)
        self.expectations = UIDTrackingControllerExpectations(clock)
        self.consistency_store = ConsistencyStore({PODS: pod_informer.indexer, REPLICA_SETS: rs_informer.indexer})
        self.queue: RateLimitingQueue[str] = RateLimitingQueue(clock)
        self.rs_lister = ReplicaSetLister(rs_informer.indexer, on_error)
        self.pod_lister = PodLister(pod_informer.indexer)
        self._watch(rs_informer, pod_informer)
        recorder = broadcaster.new_recorder("replicaset-controller")
        pod_control = RealPodControl(client, recorder, self._wrote_pod)
        self.sync_handler = ReplicaSetSync(
            rs_client=client.resource("replicasets", API_VERSION),
            rs_lister=self.rs_lister,
            pod_lister=self.pod_lister,
            pod_control=pod_control,
            manager=ReplicaManager(
                pod_control, self.expectations, self.rs_lister, self.pod_lister, clock, burst_replicas
            ),
            expectations=self.expectations,
            consistency_store=self.consistency_store,
            queue=self.queue,
            clock=clock,
            on_error=on_error,
        ).sync_replica_set

    def _watch(self, rs_informer: SharedInformer, pod_informer: SharedInformer) -> None:
        handlers = EventHandlers(self.queue, self.expectations, self.consistency_store, self.rs_lister, self.pod_lister)

        def woken() -> int:
            return self.queue.woken

        rs_informer.add_event_handler(EventHandler(handlers.add_rs, handlers.update_rs, handlers.delete_rs, woken))
        rs_informer.add_indexers({CONTROLLER_UID_INDEX: controller_uid_index})
        pod_informer.add_event_handler(EventHandler(handlers.add_pod, handlers.update_pod, handlers.delete_pod, woken))
        pod_informer.add_indexers({POD_CONTROLLER_INDEX: pod_controller_index})

    def _wrote_pod(self, pod: dict[str, Any], owner: dict[str, Any] | None) -> None:
        """Remember the resourceVersion of a created or adopted pod until the pod cache holds it."""
        if owner is not None:
            metadata = pod["metadata"]
            key = f"{metadata['namespace']}/{owner['name']}"
            self.consistency_store.wrote_at(key, owner["uid"], PODS, metadata["resourceVersion"])

    async def run(self, workers: int) -> None:
        """Start recording events, wait for the caches, then work until cancelled. Informers are started elsewhere."""
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
        """Sync the next key: forgotten by the rate limiter on success, queued again with back-off on failure.

        False once the queue is shut down.
        """
        key, shutdown = await self.queue.get()
        if shutdown or key is None:
            return False
        try:
            await self.sync_handler(key)
        except SYNC_ERRORS as error:
            self._on_error(f'sync "{key}" failed with {error}')
            self.queue.add_rate_limited(key)
        else:
            self.queue.forget(key)
        finally:
            self.queue.done(key)
        return True
