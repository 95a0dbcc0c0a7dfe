"""Putting the controller together.

Source: cmd/kube-controller-manager/app/autoscaling.go (newHorizontalPodAutoscalerController), the RESTMapper from
controllermanager.go (CreateControllerContext).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reference_impl.hpa.behavior import Normalizer
from reference_impl.hpa.controller import HorizontalController
from reference_impl.hpa.metrics.available_apis import AvailableApis
from reference_impl.hpa.metrics.client import RestMetricsClient
from reference_impl.hpa.metrics_computation import MetricsComputation
from reference_impl.hpa.plan import Planner
from reference_impl.hpa.pod_lister import PodLister
from reference_impl.hpa.reconcile import API_VERSION, Reconciler
from reference_impl.hpa.replica_calculator import ReplicaCalculator
from reference_impl.hpa.rescale import Rescaler
from reference_impl.hpa.target import TargetFinder
from reference_impl.hpa.target_pods import TargetPods
from reference_impl.machinery.client import Client
from reference_impl.machinery.discovery import DiscoveryClient
from reference_impl.machinery.discovery_cache import MemCacheClient
from reference_impl.machinery.events import EventBroadcaster
from reference_impl.machinery.informer import SharedInformerFactory
from reference_impl.machinery.meta import SECOND
from reference_impl.machinery.restmapper import DeferredDiscoveryRESTMapper
from reference_impl.machinery.scale import DiscoveryScaleKindResolver, ScaleClient
from reference_impl.machinery.transport import Clock

#: Feature gates that this controller looks at, with their values in 1.36 (pkg/features/kube_features.go), and the gate
#: that sets all gates of the same stage (k8s.io/component-base/featuregate).
_GATES: Mapping[str, tuple[bool, str]] = {
    "HPAScaleToZero": (False, "AllAlpha"),
    "HPAConfigurableTolerance": (True, "AllBeta"),
    "PodLevelResources": (True, "AllBeta"),
}


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags of kube-controller-manager, `--horizontal-pod-autoscaler-...`; periods in seconds."""

    sync_period: float
    downscale_stabilization: float
    tolerance: float
    cpu_initialization_period: float
    initial_readiness_delay: float
    feature_gates: Mapping[str, bool]

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate is on. Raises KeyError for one that is of no concern here."""
        default, stage = _GATES[gate]
        return self.feature_gates.get(gate, self.feature_gates.get(stage, default))


def assemble(
    client: Client,
    factory: SharedInformerFactory,
    clock: Clock,
    rng: random.Random,
    flags: Flags,
    on_error: Callable[[str], None],
) -> HorizontalController:
    """The controller with its clients. The order in which informers are asked for is that of their first requests."""
    hpas = factory.for_resource("horizontalpodautoscalers", API_VERSION)
    pods = factory.for_resource("pods")
    pod_lister = PodLister(pods.indexer)
    target_pods = TargetPods(pod_lister)
    broadcaster = EventBroadcaster(client, clock, rng)
    recorder = broadcaster.new_recorder("horizontal-pod-autoscaler")
    discovery = DiscoveryClient(client)
    mapper = DeferredDiscoveryRESTMapper(MemCacheClient(DiscoveryClient(client), on_error), clock)
    scales = ScaleClient(client, mapper, DiscoveryScaleKindResolver(discovery))
    available_apis = AvailableApis(discovery, clock, _nanoseconds(flags.sync_period))
    calculator = ReplicaCalculator(
        RestMetricsClient(client, mapper, available_apis),
        pod_lister,
        clock,
        _nanoseconds(flags.cpu_initialization_period),
        _nanoseconds(flags.initial_readiness_delay),
        pod_level_resources=flags.enabled("PodLevelResources"),
    )
    reconciler = Reconciler(
        hpa_client=client.resource("horizontalpodautoscalers", API_VERSION),
        targets=TargetFinder(mapper, scales),
        planner=Planner(flags.tolerance, configurable_tolerance=flags.enabled("HPAConfigurableTolerance")),
        metrics=MetricsComputation(target_pods, calculator, recorder),
        normalizer=Normalizer(clock, _nanoseconds(flags.downscale_stabilization)),
        rescaler=Rescaler(scales, rng, on_error),
        recorder=recorder,
        clock=clock,
        on_error=on_error,
        scale_to_zero=flags.enabled("HPAScaleToZero"),
    )
    return HorizontalController(
        hpas,
        pods,
        reconciler,
        target_pods,
        broadcaster=broadcaster,
        clock=clock,
        sync_period=flags.sync_period,
        on_error=on_error,
    )


def _nanoseconds(seconds: float) -> int:
    return round(seconds * SECOND)
