"""Putting the admission controller together, and its life (pkg/admission-controller/main.go)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping

from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.informer import SharedInformerFactory, wait_for_named_cache_sync
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.admission.config import AdmissionConfig
from lockstep_reference.vpa.admission.pod.calculators import Calculator, ObservedContainers
from lockstep_reference.vpa.admission.pod.handler import PodHandler
from lockstep_reference.vpa.admission.pod.recommendation import RecommendationProvider
from lockstep_reference.vpa.admission.pod.resource_updates import ResourceUpdates
from lockstep_reference.vpa.admission.pod.startup_boost import StartupBoost
from lockstep_reference.vpa.admission.registration import Registration, register
from lockstep_reference.vpa.admission.server import AdmissionServer
from lockstep_reference.vpa.admission.vpa.handler import VpaHandler
from lockstep_reference.vpa.admission.vpa.matcher import VpaMatcher
from lockstep_reference.vpa.apis import quantity_from_wire
from lockstep_reference.vpa.features import CPU_STARTUP_BOOST
from lockstep_reference.vpa.target.controller_fetcher import ScaleCachingControllerFetcher
from lockstep_reference.vpa.target.fetcher import VpaTargetSelectorFetcher
from lockstep_reference.vpa.utils.limitrange import LimitsRangeCalculator
from lockstep_reference.vpa.utils.status import (
    ADMISSION_CONTROLLER_STATUS_NAME,
    ADMISSION_CONTROLLER_STATUS_NAMESPACE,
    StatusClient,
    StatusUpdater,
)
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor
from lockstep_reference.vpa.utils.vpa.lister import new_vpas_informer

#: Answers one HTTP request: path, headers and body in; status, headers and body out.
Handler = Callable[[str, Mapping[str, str], bytes], Awaitable[tuple[int, Mapping[str, str], bytes]]]

_RESYNC_PERIOD = 600.0  # seconds (defaultResyncPeriod)
_STATUS_UPDATE_INTERVAL = 10.0  # seconds (statusUpdateInterval)


class Main:
    """The program: fills the caches one after the other, listens, registers itself, and keeps its Lease fresh."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        config: AdmissionConfig,
        rng: random.Random,
        on_error: Callable[[str], None],
    ) -> None:
        self._client = client
        self._clock = clock
        self._config = config
        self._rng = rng
        self._on_error = on_error
        namespace = config.vpa_object_namespace
        self._vpas = new_vpas_informer(client, namespace, clock, rng)
        self._factory = SharedInformerFactory(client, _RESYNC_PERIOD, clock=clock, rng=rng, namespace=namespace)

    async def run(self, group: asyncio.TaskGroup, listen: Callable[[Handler], None]) -> None:
        """Live for ever; `listen` is told who answers. Tasks of the program run in `group`."""
        self._vpas.start(group)
        await wait_for_named_cache_sync(self._vpas.has_synced)
        server = self._server()
        self._factory.start(group)
        await self._factory.wait_for_cache_sync()
        listen(server.serve)
        if self._config.register_webhook:
            await register(self._client, _registration(self._config), self._on_error)
        await StatusUpdater(self._lease(), _STATUS_UPDATE_INTERVAL, self._clock, self._on_error).run()

    def _server(self) -> AdmissionServer:
        config, factory = self._config, self._factory
        selectors = VpaTargetSelectorFetcher(self._client, factory, self._clock, self._on_error)
        controllers = ScaleCachingControllerFetcher(self._client, factory, self._clock, self._rng, self._on_error)
        limit_ranges = LimitsRangeCalculator(factory.for_resource("limitranges").indexer)
        provider = RecommendationProvider(limit_ranges, CappingRecommendationProcessor(limit_ranges))
        boost = StartupBoost(quantity_from_wire(config.max_allowed_cpu_boost or None))
        calculators: list[Calculator] = [
            ResourceUpdates(provider, boost if config.enabled(CPU_STARTUP_BOOST) else None),
            ObservedContainers(),
        ]
        matcher = VpaMatcher(self._vpas.indexer, selectors, controllers, self._on_error)
        return AdmissionServer([PodHandler(matcher, calculators), VpaHandler(config.feature_gates)], self._on_error)

    def _lease(self) -> StatusClient:
        return StatusClient(
            self._client,
            self._clock,
            ADMISSION_CONTROLLER_STATUS_NAME,
            self._config.namespace or ADMISSION_CONTROLLER_STATUS_NAMESPACE,
            lease_duration=_STATUS_UPDATE_INTERVAL,
            holder_identity=self._config.hostname,
        )


def _registration(config: AdmissionConfig) -> Registration:
    return Registration(
        namespace=config.namespace,
        service=config.webhook_service,
        url=f"{config.webhook_address}:{config.webhook_port}",
        by_url=config.register_by_url,
        timeout_seconds=config.webhook_timeout_seconds,
        selected_namespace=config.vpa_object_namespace,
        ignored_namespaces=tuple(config.ignored_vpa_object_namespaces.split(",")),
        failure_policy_fail=config.webhook_failure_policy_fail,
        labels=config.webhook_labels,
        ca_bundle=config.ca_bundle,
    )
