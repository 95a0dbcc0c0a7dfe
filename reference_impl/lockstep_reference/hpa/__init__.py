"""The HPA controller of Kubernetes 1.36, readable.

`run` starts it with everything it needs. The modules follow an HPA through a sync: `controller` takes its key from the
queue, `reconcile` reads the target's scale, `target_pods` finds the pods, `metrics_computation` asks the `sources`,
each of which asks the `replica_calculator`, and that `metrics`; `behavior` limits the answer, `rescale` writes it,
`conditions` and `status` report. `plan` holds what the HPA's spec asks for.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

from lockstep_reference.hpa.assembly import Flags, assemble
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.transport import Clock, Transport

__all__ = ["run"]

#: The informers' resync period in kube-controller-manager, in seconds (--min-resync-period).
_MANAGER_RESYNC = 12 * 3600.0


async def run(  # noqa: PLR0913 - the flags of kube-controller-manager
    transport: Transport,
    clock: Clock,
    *,
    workers: int = 5,
    sync_period: float = 15.0,
    downscale_stabilization: float = 300.0,
    tolerance: float = 0.1,
    cpu_initialization_period: float = 300.0,
    initial_readiness_delay: float = 30.0,
    resync: float = 0.0,
    feature_gates: Mapping[str, bool] | None = None,
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
) -> None:
    """Run the controller against one API server until cancelled. Cancelling is a crash: nothing more is written.

    Periods are seconds, named like upstream's flags. `resync` 0 means kube-controller-manager's. `feature_gates` are
    those that differ from 1.36; gates of other controllers are ignored. `rng` gives the jitter of back-offs; the
    default is seeded with 0. `on_error` receives upstream's message for each failed sync.
    """
    flags = Flags(
        sync_period,
        downscale_stabilization,
        tolerance,
        cpu_initialization_period,
        initial_readiness_delay,
        dict(feature_gates or {}),
    )
    rng = rng or random.Random(0)
    client = Client(transport)
    factory = SharedInformerFactory(client, resync or _MANAGER_RESYNC, clock=clock, rng=rng)
    controller = assemble(client, factory, clock, rng, flags, on_error or (lambda _message: None))
    async with asyncio.TaskGroup() as group:
        factory.start(group)
        group.create_task(controller.run(workers))
