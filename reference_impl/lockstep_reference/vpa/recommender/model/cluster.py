"""The state of the cluster, as far as recommendations depend on it (pkg/recommender/model/cluster.go).

Where upstream walks through a Go map, in any order, the order here is that in which things came. It shows where two
VPAs match one pod, and in the last digit of sums over several aggregations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lockstep.wire.gotime import EPOCH_NS, SECOND
from lockstep.wire.selectors import Selector
from lockstep_reference.vpa.apis import Object
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.model.container import ContainerState, ContainerUsageSample
from lockstep_reference.vpa.recommender.model.errors import KeyError, SampleDiscarded  # noqa: A004 - upstream's name
from lockstep_reference.vpa.recommender.model.garbage_collection import (
    contributive_aggregate_state_keys,
    is_useless,
)
from lockstep_reference.vpa.recommender.model.pod import AggregateStateKey, PodState, label_set_key
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID, Resources, VpaID
from lockstep_reference.vpa.recommender.model.vpa import ModelSettings, Vpa
from lockstep_reference.vpa.target.controller_fetcher import ControllerFetcher

#: A recommendation may be missing so long before that is worth a warning (RecommendationMissingMaxDuration).
_RECOMMENDATION_MISSING_MAX_DURATION = 30 * 60 * SECOND


class ClusterState:
    """Pods, VPAs and aggregations of usage.

    `now` tells the instant, `gc_interval` is the least time, in nanoseconds, between two collections of aggregations
    that are of no use any more; `per_vpa_config` is the feature gate PerVPAConfig.
    """

    def __init__(
        self,
        now: Callable[[], int],
        gc_interval: int,
        config: AggregationsConfig | None = None,
        *,
        per_vpa_config: bool = False,
    ) -> None:
        self.pods: dict[PodID, PodState] = {}
        self.vpas: dict[VpaID, Vpa] = {}
        #: The VPA objects of the last look (SetObservedVPAs).
        self.observed_vpas: Sequence[Object] = ()
        self.settings = ModelSettings(config or AggregationsConfig(), now, per_vpa_config)
        self._empty_vpas: dict[VpaID, int] = {}
        self.aggregates: dict[AggregateStateKey, AggregateContainerState] = {}
        self._labels: dict[AggregateStateKey, Mapping[str, str]] = {}
        self._gc_interval = gc_interval
        self._last_gc = -EPOCH_NS

    def state_map_size(self) -> int:
        """How many aggregations there are (StateMapSize)."""
        return len(self.aggregates)

    def add_or_update_pod(self, pod_id: PodID, labels: Mapping[str, str], phase: str) -> None:
        """Add a pod, or see to its new labels and phase (AddOrUpdatePod)."""
        pod = self.pods.get(pod_id)
        if pod is None:
            pod = self.pods[pod_id] = PodState(pod_id, labels, label_set_key(labels))
            self._count(pod, 1)
        elif pod.labels is not labels:
            self._relabel(pod, labels)
        pod.phase = phase

    def _relabel(self, pod: PodState, labels: Mapping[str, str]) -> None:
        """Let the containers contribute to other aggregations, to which they are tied from then on."""
        key = label_set_key(labels)
        if key == pod.label_set_key:
            pod.labels = labels
            return
        self._count(pod, -1)
        pod.labels, pod.label_set_key = labels, key
        for name, container in pod.containers.items():
            container.aggregator = self.find_or_create_aggregate_container_state(pod, name)
        self._count(pod, 1)

    def set_init_containers(self, pod_id: PodID, init_containers: Sequence[str]) -> None:
        """Name a pod's init containers, whose usage does not count. Raises KeyError (SetInitContainers)."""
        self._pod(pod_id).init_containers = init_containers

    def _count(self, pod: PodState, step: int) -> None:
        """Keep the number of pods that each VPA matches (addPodToItsVpa, removePodFromItsVpa)."""
        for vpa in self.vpas.values():
            if vpa.matches(pod.id.namespace, pod.labels):
                vpa.pod_count += step

    def delete_pod(self, pod_id: PodID) -> None:
        """Forget a pod, if it is known (DeletePod). What it has used stays."""
        pod = self.pods.pop(pod_id, None)
        if pod is not None:
            self._count(pod, -1)

    def add_or_update_container(self, container_id: ContainerID, request: Resources) -> None:
        """Add a container to its pod, or see to its new requests. Raises KeyError (AddOrUpdateContainer)."""
        pod = self._pod(container_id.pod_id)
        name = container_id.container_name
        container = pod.containers.get(name)
        if container is None:
            self.find_or_create_aggregate_container_state(pod, name)
            pod.containers[name] = ContainerState(request, _AggregatorProxy(self, pod, name))
        else:
            container.request = request

    def add_sample(self, container_id: ContainerID, sample: ContainerUsageSample) -> None:
        """Add a sample of usage (AddSample).

        Raises KeyError for an unknown pod or container, and SampleDiscarded for a sample that is not valid or not newer
        than the last one.
        """
        pod_id, name = container_id
        pod = self.pods.get(pod_id)
        if pod is None:
            raise KeyError(pod_id)
        container = pod.containers.get(name)
        if container is None:
            raise KeyError(container_id)
        if not container.add_sample(sample):
            raise SampleDiscarded("sample discarded (invalid or out of order)")

    def record_oom(self, container_id: ContainerID, timestamp: int, requested_memory: int) -> None:
        """Take an out-of-memory kill into account (RecordOOM). Raises KeyError and SampleDiscarded."""
        container = self._pod(container_id.pod_id).containers.get(container_id.container_name)
        if container is None:
            raise KeyError(container_id.container_name)
        container.record_oom(timestamp, requested_memory)

    def add_or_update_vpa(self, api_object: Object, selector: Selector) -> None:
        """Add a VPA, or see to what has become of it (AddOrUpdateVpa).

        Another selector, as text, makes it another VPA: what checkpoints told is lost.
        """
        metadata = api_object["metadata"]
        vpa_id = VpaID(metadata.get("namespace") or "", metadata["name"])
        vpa = self.vpas.get(vpa_id)
        if vpa is not None and vpa.pod_selector.text != selector.text:
            self.delete_vpa(vpa_id)
            vpa = None
        if vpa is None:
            vpa = self.vpas[vpa_id] = Vpa(vpa_id, selector, self.settings)
            for key, aggregation in self.aggregates.items():
                vpa.use_aggregation_if_matching(key, self._labels[key], aggregation)
            vpa.pod_count = len(self.get_matching_pods(vpa))
        vpa.update_from(api_object)

    def delete_vpa(self, vpa_id: VpaID) -> None:
        """Forget a VPA. Raises KeyError (DeleteVpa)."""
        if self.vpas.pop(vpa_id, None) is None:
            raise KeyError(vpa_id)
        self._empty_vpas.pop(vpa_id, None)

    def find_or_create_aggregate_container_state(self, pod: PodState, container_name: str) -> AggregateContainerState:
        """The aggregation of such containers; all VPAs that match learn of it (findOrCreateAggregateContainerState)."""
        key = pod.aggregate_state_key(container_name)
        state = self.aggregates.get(key)
        if state is None:
            state = AggregateContainerState(self.settings.config, self.settings.now())
            self.aggregates[key] = state
            self._labels[key] = pod.labels
            for vpa in self.vpas.values():
                vpa.use_aggregation_if_matching(key, pod.labels, state)
        return state

    def record_recommendation(self, vpa: Vpa, now: int) -> None:
        """Keep an eye on VPAs without a recommendation (RecordRecommendation).

        Raises LookupError, to be logged, every half an hour that it is missing.
        """
        if vpa.has_recommendation():
            self._empty_vpas.pop(vpa.id, None)
            return
        last_logged = self._empty_vpas.setdefault(vpa.id, now)
        if last_logged + _RECOMMENDATION_MISSING_MAX_DURATION < now:
            self._empty_vpas[vpa.id] = now
            name = f"{vpa.id.namespace}/{vpa.id.vpa_name}"
            raise LookupError(f"VPA {name} is missing recommendation for more than 30m0s")

    def get_matching_pods(self, vpa: Vpa) -> list[PodID]:
        """All pods that a VPA matches, whatever their phase (GetMatchingPods)."""
        return [pod.id for pod in self.pods.values() if vpa.matches(pod.id.namespace, pod.labels)]

    def get_controlling_vpa(self, pod: PodState) -> Vpa | None:
        """A VPA that matches the pod (GetControllingVPA)."""
        for vpa in self.vpas.values():
            if vpa.matches(pod.id.namespace, pod.labels):
                return vpa
        return None

    async def rate_limited_garbage_collect_aggregate_collection_states(
        self, now: int, controller_fetcher: ControllerFetcher
    ) -> None:
        """Drop aggregations of no use, unless that was done not long ago.

        The first time may be at once (RateLimitedGarbageCollectAggregateCollectionStates).
        """
        if now - self._last_gc < self._gc_interval:
            return
        pods = list(self.pods.values())
        contributive = await contributive_aggregate_state_keys(pods, self.get_controlling_vpa, controller_fetcher)
        useless = [key for key, state in self.aggregates.items() if is_useless(state, key in contributive, now)]
        for key in useless:
            del self.aggregates[key], self._labels[key]
            for vpa in self.vpas.values():
                vpa.delete_aggregation(key)
        self._last_gc = now

    def _pod(self, pod_id: PodID) -> PodState:
        pod = self.pods.get(pod_id)
        if pod is None:
            raise KeyError(pod_id)
        return pod


class _AggregatorProxy:
    """The aggregation of a container, made anew where it was collected meanwhile (ContainerStateAggregatorProxy).

    A pod whose labels change gets another aggregator, so the key stays what it is.
    """

    __slots__ = ("_cluster", "_key", "_name", "_pod")

    def __init__(self, cluster: ClusterState, pod: PodState, name: str) -> None:
        self._cluster = cluster
        self._pod = pod
        self._name = name
        self._key = pod.aggregate_state_key(name)

    def current(self) -> AggregateContainerState:
        state = self._cluster.aggregates.get(self._key)
        if state is None:
            return self._cluster.find_or_create_aggregate_container_state(self._pod, self._name)
        return state
