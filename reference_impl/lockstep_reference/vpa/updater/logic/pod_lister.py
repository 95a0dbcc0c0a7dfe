"""The updater's own cache of pods: those that have a node and may still run (updater.go, NewPodLister)."""

from __future__ import annotations

import random
from collections.abc import Sequence

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.fifo import Bookmark, Changed, Deleted, Delta, ReplacedAll
from lockstep_reference.machinery.listwatch import ListWatch
from lockstep_reference.machinery.reflector import Reflector
from lockstep_reference.machinery.store import Indexer
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import Object

_SELECTOR = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
_RESYNC_PERIOD = 3600.0


class PodLister:
    """A reflector that writes directly into its store. Nothing waits until the store is filled."""

    def __init__(
        self, client: Client, namespace: str, clock: Clock, rng: random.Random, order: random.Random | None = None
    ) -> None:
        """`namespace` is "" for all. With `order`, each list is in a random order, as upstream's are."""
        self._store = Indexer(order=order)
        pods = ListWatch(client, "pods", "v1", namespace, _SELECTOR)
        self._reflector = Reflector(pods, self._put, clock, rng, _RESYNC_PERIOD)

    async def run(self) -> None:
        """Watch the pods, for ever."""
        await self._reflector.run()

    def list(self) -> Sequence[Object]:
        """Every known pod."""
        return self._store.list()

    def _put(self, delta: Delta) -> None:
        """A resync has no effect on a store without handlers."""
        if isinstance(delta, Changed):
            self._store.update(delta.obj)
        elif isinstance(delta, Deleted):
            self._store.delete(delta.obj)
        elif isinstance(delta, ReplacedAll):
            self._store.replace(delta.objects, delta.version)
        elif isinstance(delta, Bookmark):
            self._store.bookmark(delta.version)
