"""The cache of VPA objects that each of the three programs keeps (pkg/utils/vpa/api.go, NewVpasLister)."""

from __future__ import annotations

import random

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import SharedInformer
from lockstep_reference.machinery.listwatch import ListWatch
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import GROUP_VERSION

#: The resync period of such a cache, in seconds.
RESYNC_PERIOD = 3600.0


def new_vpas_informer(
    client: Client, namespace: str, clock: Clock, rng: random.Random, order: random.Random | None = None
) -> SharedInformer:
    """An informer of the VPAs in a namespace, or in all for "".

    `rng` gives jitter. With `order`, iterating over the cache is random as in Go, and repeatable.
    """
    vpas = ListWatch(client, "verticalpodautoscalers", GROUP_VERSION, namespace)
    return SharedInformer(vpas, clock, rng, RESYNC_PERIOD, order)
