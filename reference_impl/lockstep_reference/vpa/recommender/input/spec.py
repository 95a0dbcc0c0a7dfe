"""What the recommender needs to know about pods (pkg/recommender/input/spec/spec_client.go)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep_reference.machinery.store import Indexer, Object
from lockstep_reference.vpa.apis import CPU, MEMORY
from lockstep_reference.vpa.recommender.model.types import ContainerID, PodID, Resources
from lockstep_reference.vpa.utils.resources import container_requests_and_limits


@dataclass(frozen=True, slots=True, eq=False)
class BasicPodSpec:
    """A pod with its containers' requests. `phase` is "" if the pod has none."""

    id: PodID
    pod_labels: Mapping[str, str]
    phase: str
    containers: tuple[tuple[ContainerID, Resources], ...]
    init_containers: tuple[str, ...]


class SpecClient:
    """Reads a cache of pods. A pod that has not changed keeps its spec, by identity."""

    def __init__(self, pods: Indexer) -> None:
        self._pods = pods
        self._known: dict[int, tuple[Object, BasicPodSpec]] = {}

    def get_pod_specs(self) -> list[BasicPodSpec]:
        """A spec for each pod of the cache (GetPodSpecs)."""
        # An `id` is unique while its pod is held here.
        known, self._known = self._known, {}
        for pod in self._pods.list():
            found = known.get(id(pod))
            self._known[id(pod)] = found if found is not None else (pod, new_basic_pod_spec(pod))
        return [spec for _, spec in self._known.values()]


def new_basic_pod_spec(pod: Object) -> BasicPodSpec:
    """The spec of one pod (newBasicPodSpec)."""
    metadata, spec = pod["metadata"], pod["spec"]
    pod_id = PodID(metadata["namespace"], metadata["name"])
    return BasicPodSpec(
        pod_id,
        metadata.get("labels") or {},
        (pod.get("status") or {}).get("phase") or "",
        tuple(
            (ContainerID(pod_id, one["name"]), _requested_resources(one["name"], pod))
            for one in spec.get("containers") or ()
        ),
        tuple(one["name"] for one in spec.get("initContainers") or ()),
    )


def _requested_resources(name: str, pod: Object) -> Resources:
    """Millicores and bytes; 0 without a request (calculateRequestedResources)."""
    requests, _ = container_requests_and_limits(name, pod)
    cpu, memory = (requests or {}).get(CPU), (requests or {}).get(MEMORY)
    return {CPU: 0 if cpu is None else cpu.milli_value(), MEMORY: 0 if memory is None else memory.value()}
