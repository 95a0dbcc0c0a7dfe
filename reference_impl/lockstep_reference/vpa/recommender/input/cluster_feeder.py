"""Updating the model in every loop (pkg/recommender/input/cluster_feeder.go)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from lockstep_reference.machinery.store import Indexer
from lockstep_reference.vpa.apis import CPU, MEMORY
from lockstep_reference.vpa.recommender.input.metrics import (
    ContainerMetricsSnapshot,
    MetricsClient,
    MetricsError,
)
from lockstep_reference.vpa.recommender.input.oom import Observer
from lockstep_reference.vpa.recommender.input.selection import Selection
from lockstep_reference.vpa.recommender.input.spec import BasicPodSpec, SpecClient
from lockstep_reference.vpa.recommender.input.target_refs import TargetRefs
from lockstep_reference.vpa.recommender.model import errors
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.container import ContainerUsageSample
from lockstep_reference.vpa.recommender.model.types import PodID, VpaID


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of all input."""

    vpas: Indexer
    pods: SpecClient
    metrics: MetricsClient
    ooms: Observer
    target_refs: TargetRefs


class ClusterStateFeeder:
    """Feeds the cluster state. With `memory_save_mode`, only pods that a VPA selects are added."""

    def __init__(
        self,
        cluster_state: ClusterState,
        sources: Sources,
        selection: Selection,
        *,
        memory_save_mode: bool,
        on_error: Callable[[str], None],
    ) -> None:
        self._cluster_state = cluster_state
        self._sources = sources
        self._selection = selection
        self._memory_save_mode = memory_save_mode
        self._on_error = on_error
        self._loaded: dict[PodID, BasicPodSpec] = {}

    async def load_vpas(self) -> None:
        """Add, update and delete VPAs, with their selectors (LoadVPAs)."""
        state = self._cluster_state
        vpas = self._selection.filter_vpas(self._sources.vpas.list())
        known: set[VpaID] = set()
        for vpa in vpas:
            vpa_id = VpaID(vpa["metadata"]["namespace"], vpa["metadata"]["name"])
            selector, changes = await self._sources.target_refs.get_selector(vpa)
            state.add_or_update_vpa(vpa, selector)
            known.add(vpa_id)
            modelled = state.vpas[vpa_id]
            for change in changes:
                if change.message is None:
                    modelled.delete_condition(change.type)
                else:
                    modelled.set_condition(change.type, status=True, reason="", message=change.message)
        for vpa_id in [vpa_id for vpa_id in state.vpas if vpa_id not in known]:
            state.delete_vpa(vpa_id)
        state.observed_vpas = vpas

    def load_pods(self) -> None:
        """Add, update and delete pods and their containers (LoadPods)."""
        state, loaded = self._cluster_state, self._loaded
        specs = {spec.id: spec for spec in self._sources.pods.get_pod_specs()}
        for pod_id in [pod_id for pod_id in state.pods if pod_id not in specs]:
            state.delete_pod(pod_id)
            loaded.pop(pod_id, None)
        for pod_id, spec in specs.items():
            if loaded.get(pod_id) is spec or (self._memory_save_mode and not self._matches_vpa(spec)):
                continue
            self._load_pod(spec)
            # Loading the same pod again would change nothing.
            loaded[pod_id] = spec

    def _load_pod(self, spec: BasicPodSpec) -> None:
        state = self._cluster_state
        state.add_or_update_pod(spec.id, spec.pod_labels, spec.phase)
        for container_id, request in spec.containers:
            state.add_or_update_container(container_id, request)
        state.set_init_containers(spec.id, spec.init_containers)

    def _matches_vpa(self, pod: BasicPodSpec) -> bool:
        return any(
            vpa_id.namespace == pod.id.namespace and vpa.pod_selector.matches(pod.pod_labels)
            for vpa_id, vpa in self._cluster_state.vpas.items()
        )

    async def load_real_time_metrics(self) -> None:
        """Add the current usage of containers, then the OOMs since the last loop (LoadRealTimeMetrics)."""
        try:
            snapshots = await self._sources.metrics.get_containers_metrics()
        except MetricsError as error:
            self._on_error(f"Cannot get ContainerMetricsSnapshot from MetricsClient: {error}")
            snapshots = []
        self._add_samples(snapshots)
        for oom in self._sources.ooms.take():
            with suppress(errors.KeyError, errors.SampleDiscarded):
                self._cluster_state.record_oom(oom.container_id, oom.timestamp, oom.memory)

    def _add_samples(self, snapshots: list[ContainerMetricsSnapshot]) -> None:
        """Drops usage of init containers, samples that are not new, and samples of pods that are not tracked."""
        pods, add_sample = self._cluster_state.pods, self._cluster_state.add_sample
        for container_id, start, cpu, memory in snapshots:
            pod = pods.get(container_id.pod_id)
            if pod is not None and container_id.container_name in pod.init_containers:
                continue
            for sample in (ContainerUsageSample(start, cpu, CPU), ContainerUsageSample(start, memory, MEMORY)):
                try:
                    add_sample(container_id, sample)
                except (errors.KeyError, errors.SampleDiscarded):
                    continue  # upstream logs it, though not as an error
