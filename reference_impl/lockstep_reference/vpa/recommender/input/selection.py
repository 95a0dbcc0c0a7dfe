"""Which VPAs a recommender handles (pkg/recommender/input/cluster_feeder.go, filterVPAs)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lockstep_reference.machinery.store import Object

DEFAULT_RECOMMENDER_NAME = "default"


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects by recommender name and by namespace: one ("" for all), and those to be ignored."""

    recommender_name: str
    vpa_object_namespace: str
    ignored_namespaces: Sequence[str]

    def filter_vpas(self, vpas: Sequence[Object]) -> list[Object]:
        """Those that this recommender handles (filterVPAs)."""
        return [
            vpa
            for vpa in vpas
            if self._chosen_by(vpa) and not self.should_ignore_namespace(vpa["metadata"]["namespace"])
        ]

    def should_ignore_namespace(self, namespace: str) -> bool:
        """Whether the namespace is ignored (shouldIgnoreNamespace)."""
        if self.vpa_object_namespace and namespace != self.vpa_object_namespace:
            return True
        return namespace in self.ignored_namespaces

    def _chosen_by(self, vpa: Object) -> bool:
        """A VPA that names no recommender means the default one."""
        recommenders = vpa["spec"].get("recommenders")
        if not recommenders:
            return self.recommender_name == DEFAULT_RECOMMENDER_NAME
        return any((one.get("name") or "") == self.recommender_name for one in recommenders)
