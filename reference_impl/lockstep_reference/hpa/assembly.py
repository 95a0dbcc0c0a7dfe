"""Putting the controller together.

Source: cmd/kube-controller-manager/app/autoscaling.go (newHorizontalPodAutoscalerController), the RESTMapper from
controllermanager.go (CreateControllerContext).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lockstep.wire.gotime import SECOND
from lockstep_reference.hpa.behavior import Normalizer
from lockstep_reference.hpa.controller import HorizontalController
from lockstep_reference.hpa.metrics.available_apis import AvailableApis
from lockstep_reference.hpa.metrics.client import RestMetricsClient
from lockstep_reference.hpa.metrics_computation import MetricsComputation
from lockstep_reference.hpa.plan import Planner
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.reconcile import API_VERSION, Reconciler
from lockstep_reference.hpa.replica_calculator import ReplicaCalculator
from lockstep_reference.hpa.rescale import Rescaler
from lockstep_reference.hpa.target import TargetFinder
from lockstep_reference.hpa.target_pods import TargetPods
from lockstep_reference.machinery.client import Client
from lockstep_reference.machinery.discovery import DiscoveryClient
from lockstep_reference.machinery.discovery_cache import MemCacheClient
from lockstep_reference.machinery.events import EventBroadcaster
from lockstep_reference.machinery.informer import SharedInformerFactory
from lockstep_reference.machinery.restmapper import DeferredDiscoveryRESTMapper
from lockstep_reference.machinery.scale import DiscoveryScaleKindResolver, ScaleClient
from lockstep_reference.machinery.transport import Clock

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
