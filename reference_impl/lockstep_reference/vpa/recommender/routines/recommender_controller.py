"""Putting the recommender together, and running it (pkg/recommender: main.go, routines/recommender_controller.go).

Caches fill one after the other: pods, then VPAs, then checkpoints, each looked at every 100 ms; then those of the
controllers that VPAs may target, together and without delay. So the first loop comes one interval and 300 ms after the
start.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import EventHandler
from lockstep_reference.machinery.throttle import Throttle
from lockstep_reference.machinery.ticker import Ticker
from lockstep_reference.machinery.transport import Clock, Transport
from lockstep_reference.vpa.apis import GROUP_VERSION
from lockstep_reference.vpa.recommender.checkpoint.checkpoint_writer import CheckpointWriter
from lockstep_reference.vpa.recommender.checkpoint.maintenance import CheckpointMaintenance
from lockstep_reference.vpa.recommender.config import RecommenderConfig
from lockstep_reference.vpa.recommender.input.checkpoints import Checkpoints
from lockstep_reference.vpa.recommender.input.cluster_feeder import ClusterStateFeeder, Sources
from lockstep_reference.vpa.recommender.input.eviction_events import watch_eviction_events_with_retries
from lockstep_reference.vpa.recommender.input.history.provider import PrometheusHistoryProvider
from lockstep_reference.vpa.recommender.input.init_from_history import init_from_history_provider
from lockstep_reference.vpa.recommender.input.metrics import MetricsClient
from lockstep_reference.vpa.recommender.input.metrics.external import ExternalMetricsSource
from lockstep_reference.vpa.recommender.input.metrics.source import PodMetricsSource
from lockstep_reference.vpa.recommender.input.oom import Observer
from lockstep_reference.vpa.recommender.input.selection import Selection
from lockstep_reference.vpa.recommender.input.spec import SpecClient
from lockstep_reference.vpa.recommender.input.target_refs import TargetRefs
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.routines.assembly import (
    aggregations_config,
    checkpoint_settings,
    history_provider,
    recommendations,
)
from lockstep_reference.vpa.recommender.routines.caches import Caches, fill
from lockstep_reference.vpa.recommender.routines.recommender import Recommender
from lockstep_reference.vpa.target.controller_fetcher import ScaleCachingControllerFetcher
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher

#: How often aggregations are collected, in nanoseconds (aggregateContainerStateGCInterval).
_AGGREGATE_GC_INTERVAL = 3600 * SECOND


class RecommenderController:
    """One life of the recommender, from its start to its end."""

    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        config: RecommenderConfig,
        feature_gates: Mapping[str, bool],
        rng: random.Random,
        on_error: Callable[[str], None],
    ) -> None:
        self._transport = transport
        # One client for each group of kinds, as upstream's clientsets: each has a rate limit of its own.
        self._kube = Client(transport, Throttle(config.kube_api_qps, config.kube_api_burst, clock))
        self._vpa = self._kube.sibling()
        self._clock = clock
        self._config = config
        self._rng = rng
        self._on_error = on_error
        # The gate is of an alpha feature (pkg/features/versioned_features.go).
        self._per_vpa_config = feature_gates.get("PerVPAConfig", feature_gates.get("AllAlpha", False))
        self._cluster_state = ClusterState(
            clock.now, _AGGREGATE_GC_INTERVAL, aggregations_config(config), per_vpa_config=self._per_vpa_config
        )
        ignored = config.ignored_vpa_object_namespaces.split(",")
        self._selection = Selection(config.recommender_name, config.vpa_object_namespace, ignored)
        self._caches = Caches(self._kube, self._vpa, config.vpa_object_namespace, clock, rng)
        self._checkpoints = Checkpoints(
            self._cluster_state,
            self._kube,
            self._vpa,
            self._caches.checkpoints.indexer,
            self._caches.vpas.indexer,
            self._selection,
            on_error,
        )

    async def run(self) -> None:
        """Start, then loop for ever. Raises InvalidDuration for flags with which upstream soon exits."""
        provider = self._history_provider()
        async with asyncio.TaskGroup() as group:
            caches = self._caches
            controllers = ScaleCachingControllerFetcher(
                self._kube, caches.targets, self._clock, self._rng, self._on_error
            )
            ooms = await self._observe(group)
            await fill(caches.vpas, group)
            await fill(caches.checkpoints, group)
            feeder = self._feeder(ooms, controllers)
            group.create_task(controllers.keep_fresh())
            recommender = self._recommender(feeder, controllers)
            caches.targets.start(group)
            await caches.targets.wait_for_cache_sync()
            await self._recall(feeder, provider)
            await self._loop(recommender)

    async def _observe(self, group: asyncio.TaskGroup) -> Observer:
        """Follow pods, and once their cache is full evictions too (NewPodListerAndOOMObserver)."""
        ooms = Observer(self._on_error)
        self._caches.pods.add_event_handler(EventHandler(on_update=ooms.on_update))
        await fill(self._caches.pods, group)
        events, namespace = self._kube.resource("events"), self._config.vpa_object_namespace
        group.create_task(watch_eviction_events_with_retries(events, namespace, ooms, self._rng, self._on_error))
        return ooms

    def _feeder(self, ooms: Observer, controllers: ScaleCachingControllerFetcher) -> ClusterStateFeeder:
        caches = self._caches
        selectors = VpaTargetSelectorFetcher(self._kube, caches.targets, self._clock, self._on_error)
        return ClusterStateFeeder(
            self._cluster_state,
            Sources(
                caches.vpas.indexer,
                SpecClient(caches.pods.indexer),
                self._metrics_client(),
                ooms,
                TargetRefs(selectors, controllers),
            ),
            self._selection,
            memory_save_mode=self._config.memory_saver,
            on_error=self._on_error,
        )

    def _metrics_client(self) -> MetricsClient:
        config = self._config
        if not config.use_external_metrics:
            return PodMetricsSource(self._kube.sibling(), config.vpa_object_namespace)
        return ExternalMetricsSource(
            self._kube.sibling(),
            self._cluster_state,
            config.vpa_object_namespace,
            config.external_metrics(),
            config.container_name_label,
        )

    def _recommender(self, feeder: ClusterStateFeeder, controllers: ScaleCachingControllerFetcher) -> Recommender:
        writer = CheckpointWriter(self._cluster_state, self._vpa, self._clock, self._on_error)
        return Recommender(
            self._cluster_state,
            feeder,
            recommendations(self._config, per_vpa_config=self._per_vpa_config),
            self._vpa.resource("verticalpodautoscalers", GROUP_VERSION),
            CheckpointMaintenance(self._checkpoints, writer, checkpoint_settings(self._config), self._clock),
            controllers,
            self._clock,
            self._on_error,
        )

    def _history_provider(self) -> PrometheusHistoryProvider | None:
        if self._config.use_checkpoints():
            return None
        return history_provider(self._config, self._transport, self._clock)

    async def _recall(self, feeder: ClusterStateFeeder, provider: PrometheusHistoryProvider | None) -> None:
        """What was before the start (initHistoryProvider)."""
        if provider is None:
            await feeder.load_vpas()
            self._checkpoints.load()
        else:
            await init_from_history_provider(self._cluster_state, provider, self._on_error)

    async def _loop(self, recommender: Recommender) -> None:
        """One loop at each tick; while one takes too long ticks pass, all but one (Run)."""
        ticker = Ticker(self._config.recommender_interval, self._clock)
        while True:
            await ticker.tick()
            await recommender.run_once()
