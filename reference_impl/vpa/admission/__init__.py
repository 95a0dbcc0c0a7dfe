"""The VPA admission controller 1.7.3, readable.

`run` starts it with all that it needs: it listens, registers itself as a webhook and keeps its Lease fresh. `logic` has
the server that answers reviews, `resource` what it does about pods and about VPA objects. Source:
pkg/admission-controller/main.go.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping

from reference_impl.machinery.client import Client
from reference_impl.machinery.informer import SharedInformerFactory, wait_for_named_cache_sync
from reference_impl.machinery.transport import Clock, Transport
from reference_impl.vpa.admission.logic.server import AdmissionServer
from reference_impl.vpa.admission.registration import Registration, register
from reference_impl.vpa.admission.resource.pod.handler import PodHandler
from reference_impl.vpa.admission.resource.pod.patch.calculator import Calculator
from reference_impl.vpa.admission.resource.pod.patch.observed_containers import ObservedContainers
from reference_impl.vpa.admission.resource.pod.patch.resource_updates import ResourceUpdates
from reference_impl.vpa.admission.resource.pod.patch.startup_boost import StartupBoost
from reference_impl.vpa.admission.resource.pod.recommendation import RecommendationProvider
from reference_impl.vpa.admission.resource.vpa.handler import VpaHandler
from reference_impl.vpa.admission.resource.vpa.matcher import VpaMatcher
from reference_impl.vpa.apis import GROUP_VERSION, quantity_from_wire
from reference_impl.vpa.features import CPU_STARTUP_BOOST, enabled
from reference_impl.vpa.target.controller_fetcher import ScaleCachingControllerFetcher
from reference_impl.vpa.target.fetcher import VpaTargetSelectorFetcher
from reference_impl.vpa.utils.limitrange import LimitsRangeCalculator
from reference_impl.vpa.utils.status import (
    ADMISSION_CONTROLLER_STATUS_NAME,
    ADMISSION_CONTROLLER_STATUS_NAMESPACE,
    StatusClient,
    StatusUpdater,
)
from reference_impl.vpa.utils.vpa.capping import CappingRecommendationProcessor

__all__ = ["Handler", "run"]

#: Answers one HTTP request: path, headers and body in; status, headers and body out.
Handler = Callable[[str, Mapping[str, str], bytes], Awaitable[tuple[int, Mapping[str, str], bytes]]]

_VPA_RESYNC = 3600.0
_RESYNC = 600.0
_STATUS_UPDATE_INTERVAL = 10.0


async def run(  # noqa: PLR0913 - the flags of the admission controller
    transport: Transport,
    clock: Clock,
    *,
    listen: Callable[[Handler], None],
    vpa_object_namespace: str = "",
    ignored_vpa_object_namespaces: str = "",
    webhook_service: str = "vpa-webhook",
    webhook_address: str = "",
    webhook_port: str = "",
    webhook_timeout_seconds: int = 30,
    webhook_failure_policy_fail: bool = False,
    register_webhook: bool = True,
    webhook_labels: str = "",
    register_by_url: bool = False,
    max_allowed_cpu_boost: str = "",
    namespace: str = ADMISSION_CONTROLLER_STATUS_NAMESPACE,
    hostname: str = "",
    ca_bundle: str = "",
    feature_gates: Mapping[str, bool] | None = None,
    rng: random.Random | None = None,
    on_error: Callable[[str], None] | None = None,
) -> None:
    """Run the controller against one API server until cancelled, which is a crash.

    `listen` is told who answers, once the caches are filled. The flags are upstream's; `namespace` is the variable
    NAMESPACE, `hostname` holds the Lease, `ca_bundle` is the content of --client-ca-file. `rng` feeds jitter.
    """
    gates, report = feature_gates or {}, on_error or (lambda _message: None)
    rng = rng or random.Random(0)
    client = Client(transport)
    vpas = SharedInformerFactory(client, _VPA_RESYNC, clock=clock, rng=rng, namespace=vpa_object_namespace)
    factory = SharedInformerFactory(client, _RESYNC, clock=clock, rng=rng, namespace=vpa_object_namespace)
    vpa_informer = vpas.for_resource("verticalpodautoscalers", GROUP_VERSION)
    async with asyncio.TaskGroup() as group:
        vpas.start(group)
        await wait_for_named_cache_sync(vpa_informer.has_synced)
        selectors = VpaTargetSelectorFetcher(client, factory, clock, report)
        controllers = ScaleCachingControllerFetcher(client, factory, clock, rng, report)
        limit_ranges = LimitsRangeCalculator(factory.for_resource("limitranges").indexer)
        provider = RecommendationProvider(limit_ranges, CappingRecommendationProcessor(limit_ranges))
        boost = StartupBoost(quantity_from_wire(max_allowed_cpu_boost or None))
        calculators: list[Calculator] = [
            ResourceUpdates(provider, boost if enabled(CPU_STARTUP_BOOST, gates) else None),
            ObservedContainers(),
        ]
        matcher = VpaMatcher(vpa_informer.indexer, selectors, controllers, report)
        server = AdmissionServer([PodHandler(matcher, calculators), VpaHandler(gates)], report)
        factory.start(group)
        await factory.wait_for_cache_sync()
        listen(server.serve)
        if register_webhook:
            registration = Registration(
                namespace=namespace,
                service=webhook_service,
                url=f"{webhook_address}:{webhook_port}",
                by_url=register_by_url,
                timeout_seconds=webhook_timeout_seconds,
                selected_namespace=vpa_object_namespace,
                ignored_namespaces=tuple(ignored_vpa_object_namespaces.split(",")),
                failure_policy_fail=webhook_failure_policy_fail,
                labels=webhook_labels,
                ca_bundle=ca_bundle,
            )
            await register(client, registration, report)
        lease = StatusClient(
            client,
            clock,
            ADMISSION_CONTROLLER_STATUS_NAME,
            namespace or ADMISSION_CONTROLLER_STATUS_NAMESPACE,
            lease_duration=_STATUS_UPDATE_INTERVAL,
            holder_identity=hostname,
        )
        await StatusUpdater(lease, _STATUS_UPDATE_INTERVAL, clock, report).run()
