"""The recommender's caches (pkg/recommender/main.go, input/cluster_feeder.go: newPodClients, and pkg/utils/vpa/api.go:
NewVpasLister, NewVpaCheckpointLister).
"""

from __future__ import annotations

import asyncio
import random

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import (
    SharedInformer,
    SharedInformerFactory,
    wait_for_named_cache_sync,
)
from lockstep_reference.machinery.listwatch import ListWatch
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import GROUP_VERSION
from lockstep_reference.vpa.utils.vpa.lister import RESYNC_PERIOD, new_vpas_informer

_FACTORY_RESYNC = 600.0  # seconds (defaultResyncPeriod)


class Caches:
    """Informers of pods that are not pending, of VPAs, and of checkpoints, in one namespace, or in all for "".

    The `targets` are a factory for the controllers that VPAs may point to. `kube` and `vpa` are the clients of
    Kubernetes' kinds and of the VPA's own.
    """

    def __init__(self, kube: Client, vpa: Client, namespace: str, clock: Clock, rng: random.Random) -> None:
        pods = ListWatch(kube, "pods", "v1", namespace, "status.phase!=Pending")
        checkpoints = ListWatch(vpa, "verticalpodautoscalercheckpoints", GROUP_VERSION, namespace)
        self.pods = SharedInformer(pods, clock, rng, RESYNC_PERIOD)
        self.vpas = new_vpas_informer(vpa, namespace, clock, rng)
        self.checkpoints = SharedInformer(checkpoints, clock, rng, RESYNC_PERIOD)
        self.targets = SharedInformerFactory(kube, _FACTORY_RESYNC, clock=clock, rng=rng, namespace=namespace)


async def fill(informer: SharedInformer, group: asyncio.TaskGroup) -> None:
    """Start a separate informer, and wait until it has synced."""
    informer.start(group)
    await wait_for_named_cache_sync(informer.has_synced)
