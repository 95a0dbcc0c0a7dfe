"""Putting the updater together, and its loop (pkg/updater/main.go, run)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.events import EventBroadcaster
from lockstep_reference.machinery.informer import SharedInformerFactory, wait_for_named_cache_sync
from lockstep_reference.machinery.ticker import Ticker
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.admission.pod.recommendation import RecommendationProvider
from lockstep_reference.vpa.features import CPU_STARTUP_BOOST, IN_PLACE, PER_VPA_CONFIG
from lockstep_reference.vpa.target.controller_fetcher import ScaleCachingControllerFetcher
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher
from lockstep_reference.vpa.updater.config import UpdaterConfig
from lockstep_reference.vpa.updater.inplace.annotations import (
    InPlaceUpdatedCalculator,
    UnboostAnnotationCalculator,
)
from lockstep_reference.vpa.updater.inplace.resource_updates import ResourceInPlaceUpdatesCalculator
from lockstep_reference.vpa.updater.logic.pod_lister import PodLister
from lockstep_reference.vpa.updater.logic.rate_limiter import EvictionRateLimiter
from lockstep_reference.vpa.updater.logic.updater import Updater
from lockstep_reference.vpa.updater.logic.vpa_pass import Tools
from lockstep_reference.vpa.updater.priority.assessment import Assessor
from lockstep_reference.vpa.updater.priority.scaling_direction import ScalingDirectionPodEvictionAdmission
from lockstep_reference.vpa.updater.priority.update_priority_calculator import UpdateConfig
from lockstep_reference.vpa.updater.restriction.pods_inplace_restriction import InPlaceRules
from lockstep_reference.vpa.updater.restriction.pods_restriction_factory import PodsRestrictionFactory
from lockstep_reference.vpa.utils.limitrange import LimitsRangeCalculator
from lockstep_reference.vpa.utils.status import (
    ADMISSION_CONTROLLER_STATUS_NAME,
    ADMISSION_CONTROLLER_STATUS_NAMESPACE,
    StatusClient,
)
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor
from lockstep_reference.vpa.utils.vpa.lister import new_vpas_informer

_RESYNC_PERIOD = 600.0  # seconds (defaultResyncPeriod)


class Main:
    """The program: makes everything, fills the caches one after the other, and loops."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        config: UpdaterConfig,
        rng: random.Random | None,
        on_error: Callable[[str], None],
    ) -> None:
        order, rng = rng, rng or random.Random(0)
        self._clock = clock
        self._config = config
        self._factory = SharedInformerFactory(
            client, _RESYNC_PERIOD, clock=clock, rng=rng, namespace=config.vpa_object_namespace
        )
        self._pods = PodLister(client, config.vpa_object_namespace, clock, rng, order)
        self._broadcaster = EventBroadcaster(client, clock, rng)
        self._vpas = new_vpas_informer(client, config.vpa_object_namespace, clock, rng, order)
        selectors = VpaTargetSelectorFetcher(client, self._factory, clock, on_error)
        controllers = ScaleCachingControllerFetcher(client, self._factory, clock, rng, on_error)
        self._updater = Updater(
            self._tools(client, on_error),
            self._vpas.indexer,
            self._pods,
            self._status(client),
            selectors,
            controllers,
            config.ignored_vpa_object_namespaces.split(","),
        )

    def _status(self, client: Client) -> StatusClient | None:
        if not self._config.use_admission_controller_status:
            return None
        namespace = self._config.namespace or ADMISSION_CONTROLLER_STATUS_NAMESPACE
        return StatusClient(client, self._clock, ADMISSION_CONTROLLER_STATUS_NAME, namespace)

    def _tools(self, client: Client, on_error: Callable[[str], None]) -> Tools:
        config, clock = self._config, self._clock
        limit_ranges = LimitsRangeCalculator(self._factory.for_resource("limitranges").indexer)
        processor = CappingRecommendationProcessor(limit_ranges)
        rules = InPlaceRules(
            config.enabled(IN_PLACE), config.enabled(CPU_STARTUP_BOOST), config.in_place_skip_disruption_budget
        )
        calculators = (
            ResourceInPlaceUpdatesCalculator(RecommendationProvider(limit_ranges, processor), clock),
            InPlaceUpdatedCalculator(),
            UnboostAnnotationCalculator(clock),
        )
        restrictions = PodsRestrictionFactory(
            client,
            self._factory,
            clock,
            rules,
            calculators,
            min_replicas=config.min_replicas,
            eviction_tolerance_fraction=config.eviction_tolerance,
            on_error=on_error,
        )
        return Tools(
            clock,
            self._broadcaster.new_recorder("vpa-updater"),
            restrictions,
            Assessor(processor, limit_ranges),
            ScalingDirectionPodEvictionAdmission(),
            EvictionRateLimiter(config.eviction_rate_limit, config.eviction_rate_burst, clock),
            # resizes have a limiter of their own, with the same numbers
            EvictionRateLimiter(config.eviction_rate_limit, config.eviction_rate_burst, clock),
            _update_config(config),
            rules,
            on_error,
        )

    async def run(self, group: asyncio.TaskGroup) -> None:
        """Fill the caches, then loop for ever. Tasks of the program run in `group`."""
        group.create_task(self._pods.run())
        self._vpas.start(group)
        await wait_for_named_cache_sync(self._vpas.has_synced)
        self._broadcaster.start(group)
        self._factory.start(group)
        await self._factory.wait_for_cache_sync()
        ticker = Ticker(self._config.updater_interval, self._clock)
        while True:
            await ticker.tick()
            await self._updater.run_once(self._clock.now() + _nanoseconds(self._config.updater_interval))


def _update_config(config: UpdaterConfig) -> UpdateConfig:
    return UpdateConfig(
        config.pod_update_threshold,
        _nanoseconds(config.in_recommendation_bounds_eviction_lifetime_threshold),
        _nanoseconds(config.evict_after_oom_threshold),
        per_vpa_config=config.enabled(PER_VPA_CONFIG),
    )


def _nanoseconds(seconds: float) -> int:
    return round(seconds * SECOND)
