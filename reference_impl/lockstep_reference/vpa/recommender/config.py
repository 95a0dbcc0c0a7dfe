"""The recommender's flags (pkg/recommender/config/config.go), named like upstream's, with its defaults."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep_reference.vpa.apis import CPU, MEMORY, ResourceList, quantity
from lockstep_reference.vpa.recommender.input.selection import DEFAULT_RECOMMENDER_NAME

_DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommenderConfig:
    """Durations are seconds; those that upstream parses as Prometheus durations are text, like quantities.

    Flags that need a real machine are left out: addresses, credentials, logging, leader election. A negative
    `kube_api_qps` is no limit.
    """

    vpa_object_namespace: str = ""
    ignored_vpa_object_namespaces: str = ""
    kube_api_qps: float = 50.0
    kube_api_burst: int = 100

    recommender_name: str = DEFAULT_RECOMMENDER_NAME
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

    def use_checkpoints(self) -> bool:
        """Any storage except `prometheus` means checkpoints."""
        return self.storage != "prometheus"

    def global_max_allowed(self) -> ResourceList:
        """The maximum of every recommendation, unless a policy sets one (initGlobalMaxAllowed)."""
        texts = {
            CPU: self.container_recommendation_max_allowed_cpu,
            MEMORY: self.container_recommendation_max_allowed_memory,
        }
        limits = {name: quantity(text) for name, text in texts.items() if text}
        return {name: limit for name, limit in limits.items() if limit.unscaled}

    def external_metrics(self) -> dict[str, str]:
        """Names of external metrics by resource."""
        names = {CPU: self.external_metrics_cpu_metric, MEMORY: self.external_metrics_memory_metric}
        return {resource: name for resource, name in names.items() if name}
