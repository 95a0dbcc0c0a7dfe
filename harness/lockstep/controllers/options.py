"""The configuration of the controllers under test: upstream's flags, for every implementation.

A flag has upstream's name, with underscores, and upstream's default (of Kubernetes 1.36.3 and VPA 1.7.3). Durations are
in seconds. Flags without a use in a simulated cluster are left out: how to reach the API server (kubeconfig),
addresses, certificates and credentials, logging, profiling, leader election, and those without effect
(min-checkpoints). Only the recommender has a limit on its requests to the API server (kube-api-qps and -burst); all
others send requests without a limit.

Scenarios import these names from `lockstep.scenarios.declare`, like everything else that a declaration needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep.errors import LockstepError

_HOUR, _DAY = 3600.0, 24 * 3600.0


class ScenarioError(LockstepError):
    """A scenario is malformed, or asks for something impossible. The message is one line for the user."""


@dataclass(frozen=True, slots=True)
class HpaOptions:
    """The HPA controller's flags: `--concurrent-horizontal-pod-autoscaler-syncs`, `--horizontal-pod-autoscaler-...`.

    Periods in seconds. Raises ScenarioError for values with which kube-controller-manager would not start.
    """

    workers: int = 5
    sync_period: float = 15.0
    downscale_stabilization: float = 300.0
    tolerance: float = 0.1
    cpu_initialization_period: float = 300.0
    initial_readiness_delay: float = 30.0

    def __post_init__(self) -> None:
        if self.workers < 1 or self.sync_period <= 0:
            raise ScenarioError("the HPA controller needs at least one worker and a sync period above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class VpaComponentOptions:
    """Flags of all three VPA programs (common/flags.go).

    `ignored_vpa_object_namespaces` separates names by commas. Raises ScenarioError if both are set, because then the
    programs exit.
    """

    vpa_object_namespace: str = ""
    ignored_vpa_object_namespaces: str = ""

    def __post_init__(self) -> None:
        if self.vpa_object_namespace and self.ignored_vpa_object_namespaces:
            raise ScenarioError("vpa_object_namespace and ignored_vpa_object_namespaces exclude each other")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommenderOptions(VpaComponentOptions):
    """The recommender's flags (pkg/recommender/config/config.go).

    `storage="prometheus"` starts from history instead of from checkpoints. Quantities are texts such as "500m"; "" sets
    no limit. Each client of the API server (of Kubernetes' kinds, of the VPA's, of metrics, of discovery) may make
    `kube_api_burst` requests at once and `kube_api_qps` a second; below 0, as many as it likes. Raises ScenarioError
    for values with which the recommender would not start, and for a rate of 0, because client-go then chooses a
    different one for each API group.
    """

    kube_api_qps: float = 50.0
    kube_api_burst: int = 100

    recommender_name: str = "default"
    recommender_interval: float = 60.0
    checkpoints_gc_interval: float = 600.0
    checkpoints_timeout: float = 60.0
    storage: str = ""
    memory_saver: bool = False
    update_worker_count: int = 10

    recommendation_margin_fraction: float = 0.15
    pod_recommendation_min_cpu_millicores: float = 25.0
    pod_recommendation_min_memory_mb: float = 250.0
    target_cpu_percentile: float = 0.9
    recommendation_lower_bound_cpu_percentile: float = 0.5
    recommendation_upper_bound_cpu_percentile: float = 0.95
    confidence_interval_cpu: float = _DAY
    target_memory_percentile: float = 0.9
    recommendation_lower_bound_memory_percentile: float = 0.5
    recommendation_upper_bound_memory_percentile: float = 0.95
    confidence_interval_memory: float = _DAY
    humanize_memory: bool = False
    round_cpu_millicores: int = 1
    round_memory_bytes: int = 1

    prometheus_cadvisor_job_name: str = "kubernetes-cadvisor"
    history_length: str = "8d"
    history_resolution: str = "1h"
    history_cpu_metric: str = "container_cpu_usage_seconds_total"
    history_memory_metric: str = "container_memory_working_set_bytes"
    prometheus_query_timeout: float = 300.0
    pod_label_prefix: str = "pod_label_"
    metric_for_pod_labels: str = 'up{job="kubernetes-pods"}'
    pod_namespace_label: str = "kubernetes_namespace"
    pod_name_label: str = "kubernetes_pod_name"
    container_namespace_label: str = "namespace"
    container_pod_name_label: str = "pod_name"
    container_name_label: str = "name"

    use_external_metrics: bool = False
    external_metrics_cpu_metric: str = ""
    external_metrics_memory_metric: str = ""

    memory_aggregation_interval: float = _DAY
    memory_aggregation_interval_count: int = 8
    memory_histogram_decay_half_life: float = _DAY
    cpu_histogram_decay_half_life: float = _DAY
    oom_bump_up_ratio: float = 1.2
    oom_min_bump_up_bytes: float = 100 * 1024 * 1024.0

    cpu_integer_post_processor_enabled: bool = False
    container_recommendation_max_allowed_cpu: str = ""
    container_recommendation_max_allowed_memory: str = ""

    def __post_init__(self) -> None:
        VpaComponentOptions.__post_init__(self)
        if self.recommender_interval <= 0:
            raise ScenarioError("the recommender needs an interval above 0")
        if self.kube_api_qps == 0:
            raise ScenarioError("kube_api_qps=0 leaves the rate to client-go; give a rate, or -1 for none")
        if self.kube_api_qps > 0 and self.kube_api_burst < 1:
            raise ScenarioError("kube_api_qps needs a kube_api_burst above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdaterOptions(VpaComponentOptions):
    """The updater's flags (pkg/updater/config/config.go).

    `namespace` is not a flag but the environment variable NAMESPACE, which deployments set: the namespace of the
    admission controller's lease.
    """

    updater_interval: float = 60.0
    min_replicas: int = 2
    eviction_tolerance: float = 0.5
    eviction_rate_limit: float = -1.0
    eviction_rate_burst: int = 1
    use_admission_controller_status: bool = True
    in_place_skip_disruption_budget: bool = False
    pod_update_threshold: float = 0.1
    in_recommendation_bounds_eviction_lifetime_threshold: float = 12 * _HOUR
    evict_after_oom_threshold: float = 600.0
    namespace: str = "kube-system"

    def __post_init__(self) -> None:
        VpaComponentOptions.__post_init__(self)
        if self.updater_interval <= 0:
            raise ScenarioError("the updater needs an interval above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionOptions(VpaComponentOptions):
    """The admission controller's flags (pkg/admission-controller/config/config.go).

    Three fields are not flags: `namespace` (the environment variable NAMESPACE, which deployments set), `hostname`,
    which becomes the holder of its lease, and `ca_bundle`, the content of the file of --client-ca-file.
    """

    webhook_service: str = "vpa-webhook"
    webhook_address: str = ""
    webhook_port: str = ""
    webhook_timeout_seconds: int = 30
    webhook_failure_policy_fail: bool = False
    register_webhook: bool = True
    webhook_labels: str = ""
    register_by_url: bool = False
    max_allowed_cpu_boost: str = ""
    namespace: str = "kube-system"
    hostname: str = "vpa-admission-controller"
    ca_bundle: str = ""


@dataclass(frozen=True, slots=True)
class VpaOptions:
    """Flags of the three VPA programs, and the feature gates that differ from VPA's defaults."""

    recommender: RecommenderOptions = field(default_factory=RecommenderOptions)
    updater: UpdaterOptions = field(default_factory=UpdaterOptions)
    admission: AdmissionOptions = field(default_factory=AdmissionOptions)
    feature_gates: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Options:
    """The configuration of the controllers under test; the same for every implementation.

    `workers`: concurrent syncs of the ReplicaSet controller. `burst_replicas`: creates or deletes in one of them.
    `resync`: seconds between informer resyncs, 0 for none. `hpa`, `vpa`: flags of these controllers. `feature_gates`:
    Kubernetes' own gates that differ from the release's default.
    """

    workers: int = 5
    burst_replicas: int = 500
    resync: float = 0.0
    hpa: HpaOptions = field(default_factory=HpaOptions)
    vpa: VpaOptions = field(default_factory=VpaOptions)
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
