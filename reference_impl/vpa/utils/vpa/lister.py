"""The cache of VPA objects that each of the three programs keeps (pkg/utils/vpa/api.go, NewVpasLister)."""

from __future__ import annotations

import random

from reference_impl.machinery.client import Client
from reference_impl.machinery.informer import SharedInformer
from reference_impl.machinery.listwatch import ListWatch
from reference_impl.machinery.transport import Clock
from reference_impl.vpa.apis import GROUP_VERSION

#: Seconds after which what such a cache holds is processed again.
RESYNC_PERIOD = 3600.0


def new_vpas_informer(
    client: Client, namespace: str, clock: Clock, rng: random.Random, order: random.Random | None = None
) -> SharedInformer:
    """An informer of the VPAs in a namespace, or in all of them if that is "".

    `rng` feeds jitter. With `order`, iterating over the cache is random as in Go, and repeatable.
    """
    vpas = ListWatch(client, "verticalpodautoscalers", GROUP_VERSION, namespace)
    return SharedInformer(vpas, clock, rng, RESYNC_PERIOD, order)
