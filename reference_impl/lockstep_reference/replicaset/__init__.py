"""The ReplicaSet controller of Kubernetes 1.36, readable.

`run` starts it with everything it needs. The modules follow a key through the controller: `handlers` put it on the
queue, `sync` works on it, `manage_replicas` (with `slow_start` and `ranking`) creates and deletes, `status` (with
`availability`) reports.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.events import EventBroadcaster
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.transport import Clock, Transport
from lockstep_reference.replicaset.controller import ReplicaSetController
from lockstep_reference.replicaset.manage_replicas import BURST_REPLICAS

__all__ = ["ReplicaSetController", "run"]


async def run(
    transport: Transport,
    clock: Clock,
    *,
    workers: int = 5,
    burst_replicas: int = BURST_REPLICAS,
    resync: float = 0,
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
) -> None:
    """Run the controller against one API server until cancelled. Cancelling is a crash: nothing more is written.

    `resync` is the informers' resync period in seconds, 0 for none. `rng` gives the jitter of back-offs; the default is
    seeded with 0. `on_error` receives upstream's message for each failed sync, and for errors of users.
    """
    rng = rng or random.Random(0)
    client = Client(transport)
    factory = SharedInformerFactory(client, resync, clock=clock, rng=rng)
    controller = ReplicaSetController(
        client,
        factory.for_resource("replicasets", "apps/v1"),
        factory.for_resource("pods"),
        clock=clock,
        broadcaster=EventBroadcaster(client, clock, rng),
        burst_replicas=burst_replicas,
        on_error=on_error or (lambda _message: None),
    )
    async with asyncio.TaskGroup() as group:
        factory.start(group)
        group.create_task(controller.run(workers))
