"""What the recommender keeps copies of (pkg/recommender/main.go, input/cluster_feeder.go: newPodClients, and
pkg/utils/vpa/api.go: NewVpasLister, NewVpaCheckpointLister).
"""

from __future__ import annotations

import asyncio
import random

from reference_impl.machinery.client import Client
from reference_impl.machinery.informer import SharedInformer, SharedInformerFactory, wait_for_named_cache_sync
from reference_impl.machinery.listwatch import ListWatch
from reference_impl.machinery.transport import Clock
from reference_impl.vpa.apis import GROUP_VERSION

#: Resync periods in seconds (defaultResyncPeriod, newPodClients, NewVpasLister).
_FACTORY_RESYNC = 600.0
_RESYNC = 3600.0


class Caches:
    """Informers of pods that are not pending, of VPAs, and of checkpoints, in one namespace or, with "", in all.

    The `targets` are a factory for the controllers that VPAs may point to.
    """

    def __init__(self, client: Client, namespace: str, clock: Clock, rng: random.Random) -> None:
        self._client = client
        self._namespace = namespace
        self._clock = clock
        self._rng = rng
        self.pods = self._informer("pods", "v1", "status.phase!=Pending")
        self.vpas = self._informer("verticalpodautoscalers", GROUP_VERSION)
        self.checkpoints = self._informer("verticalpodautoscalercheckpoints", GROUP_VERSION)
        self.targets = SharedInformerFactory(client, _FACTORY_RESYNC, clock=clock, rng=rng, namespace=namespace)

    def _informer(self, plural: str, group_version: str, field_selector: str = "") -> SharedInformer:
        objects = ListWatch(self._client, plural, group_version, self._namespace, field_selector)
        return SharedInformer(objects, self._clock, self._rng, _RESYNC)


async def fill(informer: SharedInformer, group: asyncio.TaskGroup) -> None:
    """Start an informer of its own, and wait until it has synced."""
    informer.start(group)
    await wait_for_named_cache_sync(informer.has_synced)
