"""The checkpoints with which the recommender starts, and those that nobody needs any more.

Source: pkg/recommender/input/cluster_feeder.go.
"""

from __future__ import annotations

from collections.abc import Callable

from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, Object
from lockstep_reference.vpa.apis import GROUP_VERSION
from lockstep_reference.vpa.recommender.input.selection import Selection
from lockstep_reference.vpa.recommender.model.aggregate_container_state import AggregateContainerState
from lockstep_reference.vpa.recommender.model.cluster import ClusterState
from lockstep_reference.vpa.recommender.model.types import VpaID
from lockstep_reference.vpa.recommender.util.checkpoint import CheckpointError


class Checkpoints:
    """The checkpoints that the API server has: loaded at the start, deleted when their VPA is gone."""

    def __init__(
        self,
        cluster_state: ClusterState,
        kube: Client,
        vpa: Client,
        checkpoints: Indexer,
        vpas: Indexer,
        selection: Selection,
        on_error: Callable[[str], None],
    ) -> None:
        self._cluster_state = cluster_state
        self._checkpoints = checkpoints
        self._vpas = vpas
        self._selection = selection
        self._on_error = on_error
        self._kube = kube
        self._vpa = vpa

    def load(self) -> None:
        """Load every checkpoint into its VPA (InitFromCheckpoints). The VPAs must be in the model already.

        Each of their namespaces has all checkpoints loaded once more, which changes nothing.
        """
        namespaces = {vpa_id.namespace for vpa_id in self._cluster_state.vpas}
        if all(map(self._selection.should_ignore_namespace, namespaces)):
            return
        for checkpoint in self._checkpoints.list():
            try:
                self._set_vpa_checkpoint(checkpoint)
            except CheckpointError as error:
                self._on_error(f"Error while loading checkpoint: {error}")

    def _set_vpa_checkpoint(self, checkpoint: Object) -> None:
        """SetVpaCheckpoint. Raises CheckpointError."""
        spec = checkpoint.get("spec") or {}
        vpa_id = VpaID(checkpoint["metadata"]["namespace"], spec.get("vpaObjectName") or "")
        vpa = self._cluster_state.vpas.get(vpa_id)
        if vpa is None:
            raise CheckpointError(f"cannot load checkpoint to missing VPA object {vpa_id.namespace}/{vpa_id.vpa_name}")
        settings = self._cluster_state.settings
        state = AggregateContainerState(settings.config, settings.now())
        try:
            state.load_from_checkpoint(checkpoint.get("status") or {})
        except CheckpointError as error:
            what = f"{vpa_id.namespace}/{vpa_id.vpa_name}"
            raise CheckpointError(f"cannot load checkpoint for VPA {what}. Reason: {error}") from error
        vpa.containers_initial_aggregate_state[spec.get("containerName") or ""] = state

    async def garbage_collect(self, deadline: int) -> None:
        """Delete checkpoints whose VPA does not exist, whoever recommends for it (GarbageCollectCheckpoints).

        What the rate limit would keep back beyond that instant is left for the next time.
        """
        vpas = {VpaID(vpa["metadata"]["namespace"], vpa["metadata"]["name"]) for vpa in self._vpas.list()}
        try:
            namespaces = await self._kube.until(deadline).resource("namespaces").list()
        except (ApiError, OSError) as error:
            self._on_error(f"Cannot list namespaces: {error}")
            return
        for item in namespaces.get("items") or ():
            namespace = item["metadata"]["name"]
            if not self._selection.should_ignore_namespace(namespace):
                await self._clean_up(namespace, vpas, deadline)

    async def _clean_up(self, namespace: str, vpas: set[VpaID], deadline: int) -> None:
        """CleanupCheckpointsForNamespace."""
        client = self._vpa.until(deadline).resource("verticalpodautoscalercheckpoints", GROUP_VERSION)
        for checkpoint in self._checkpoints.by_index(NAMESPACE_INDEX, namespace):
            owner = VpaID(namespace, (checkpoint.get("spec") or {}).get("vpaObjectName") or "")
            if owner in vpas:
                continue
            name = checkpoint["metadata"]["name"]
            try:
                await client.delete(namespace, name)
            except (ApiError, OSError) as error:
                text = f"failed to delete orphaned checkpoint {namespace}/{name}: {error}"
                self._on_error(f"error cleaning checkpoints: {text}")
