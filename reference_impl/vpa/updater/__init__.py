"""The VPA updater 1.7: evicts or resizes pods whose resources are not what is recommended.

`run` starts it. `main` puts it together, `logic` is its loop; `restriction` says how many pods may be disturbed,
`priority` which ones are worth it, `inplace` what a resize changes.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

from reference_impl.machinery.client import Client
from reference_impl.machinery.transport import Clock, Transport
from reference_impl.vpa.updater.config import UpdaterConfig
from reference_impl.vpa.updater.main import Main
from reference_impl.vpa.utils.panic import Panic

__all__ = ["run"]


async def run(  # noqa: PLR0913 - the flags of the updater
    transport: Transport,
    clock: Clock,
    *,
    vpa_object_namespace: str = "",
    ignored_vpa_object_namespaces: str = "",
    updater_interval: float = 60.0,
    min_replicas: int = 2,
    eviction_tolerance: float = 0.5,
    eviction_rate_limit: float = -1.0,
    eviction_rate_burst: int = 1,
    use_admission_controller_status: bool = True,
    in_place_skip_disruption_budget: bool = False,
    pod_update_threshold: float = 0.1,
    in_recommendation_bounds_eviction_lifetime_threshold: float = 12 * 3600.0,
    evict_after_oom_threshold: float = 600.0,
    namespace: str = "",
    feature_gates: Mapping[str, bool] | None = None,
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
) -> None:
    """Run the updater against one API server until cancelled, which is a crash: it writes nothing more.

    Flags are named like upstream's, spans of time in seconds; `namespace` is the variable NAMESPACE. `rng` feeds
    jitter, and draws what upstream leaves to the order of a map; without one, jitter is seeded with 0, and pods are
    taken in the order in which they came. `on_error` is told of what upstream only logs. Raises Panic where
    upstream does, and its process ends.
    """
    config = UpdaterConfig(
        vpa_object_namespace=vpa_object_namespace,
        ignored_vpa_object_namespaces=ignored_vpa_object_namespaces,
        updater_interval=updater_interval,
        min_replicas=min_replicas,
        eviction_tolerance=eviction_tolerance,
        eviction_rate_limit=eviction_rate_limit,
        eviction_rate_burst=eviction_rate_burst,
        namespace=namespace,
        use_admission_controller_status=use_admission_controller_status,
        in_place_skip_disruption_budget=in_place_skip_disruption_budget,
        pod_update_threshold=pod_update_threshold,
        in_recommendation_bounds_eviction_lifetime_threshold=in_recommendation_bounds_eviction_lifetime_threshold,
        evict_after_oom_threshold=evict_after_oom_threshold,
        feature_gates=dict(feature_gates or {}),
    )
    main = Main(Client(transport), clock, config, rng, on_error or (lambda _message: None))
    try:
        async with asyncio.TaskGroup() as group:
            await main.run(group)
    except ExceptionGroup as problems:
        panics = problems.subgroup(Panic)
        if panics is None:
            raise
        raise panics.exceptions[0] from problems
