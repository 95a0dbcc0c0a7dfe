"""What the recommender starts with where it has no checkpoints: history (pkg/recommender/input/cluster_feeder.go)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from lockstep_reference.vpa.recommender.input.history import HistoryError
from lockstep_reference.vpa.recommender.input.history.provider import PrometheusHistoryProvider
from lockstep_reference.vpa.recommender.model import errors
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.types import ContainerID

_POD_UNKNOWN = "Unknown"


async def init_from_history_provider(
    cluster_state: ClusterState, provider: PrometheusHistoryProvider, on_error: Callable[[str], None]
) -> None:
    """Add pods, containers and samples of the past (InitFromHistoryProvider). Without an answer there are none."""
    try:
        history = await provider.get_cluster_history()
    except HistoryError as error:
        on_error(f"Cannot get cluster history: {error}")
        return
    for pod_id, pod in history.items():
        cluster_state.add_or_update_pod(pod_id, pod.last_labels, _POD_UNKNOWN)
        for name, samples in pod.samples.items():
            container_id = ContainerID(pod_id, name)
            cluster_state.add_or_update_container(container_id, {})
            for sample in samples:
                with suppress(errors.SampleDiscarded):
                    cluster_state.add_sample(container_id, sample)
