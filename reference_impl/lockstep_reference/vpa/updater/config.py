"""The updater's flags (pkg/updater/config/config.go, common/flags.go)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep_reference.vpa.features import enabled


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdaterConfig:
    """Flags by upstream's names, durations in seconds; `namespace` is the variable NAMESPACE, "" if not set."""

    vpa_object_namespace: str = ""
    ignored_vpa_object_namespaces: str = ""
    updater_interval: float = 60.0
    min_replicas: int = 2
    eviction_tolerance: float = 0.5
    eviction_rate_limit: float = -1.0
    eviction_rate_burst: int = 1
    namespace: str = ""
    use_admission_controller_status: bool = True
    in_place_skip_disruption_budget: bool = False
    pod_update_threshold: float = 0.1
    in_recommendation_bounds_eviction_lifetime_threshold: float = 12 * 3600.0
    evict_after_oom_threshold: float = 600.0
    feature_gates: Mapping[str, bool] = field(default_factory=dict)

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate is on."""
        return enabled(gate, self.feature_gates)
