"""From flags to the parts of the recommender (pkg/recommender/routines/recommender_controller.go)."""

from __future__ import annotations

from lockstep.wire.gotime import SECOND
from lockstep_reference.machinery.transport import Clock, Transport
from lockstep_reference.vpa.recommender.checkpoint.maintenance import CheckpointSettings
from lockstep_reference.vpa.recommender.config import RecommenderConfig
from lockstep_reference.vpa.recommender.input.history.durations import parse_duration
from lockstep_reference.vpa.recommender.input.history.prometheus_api import PrometheusApi
from lockstep_reference.vpa.recommender.input.history.provider import (
    PrometheusHistoryProvider,
    PrometheusHistoryProviderConfig,
)
from lockstep_reference.vpa.recommender.logic.recommender import (
    PodResourceRecommender,
    RecommendationConfig,
    RecommendationFormat,
)
from lockstep_reference.vpa.recommender.model.aggregations_config import AggregationsConfig
from lockstep_reference.vpa.recommender.routines.post_processors import (
    CappingPostProcessor,
    IntegerCPUPostProcessor,
    RecommendationPostProcessor,
)
from lockstep_reference.vpa.recommender.routines.recommender import Recommendations


def aggregations_config(config: RecommenderConfig) -> AggregationsConfig:
    """How usage is aggregated."""
    return AggregationsConfig(
        _nanoseconds(config.memory_aggregation_interval),
        config.memory_aggregation_interval_count,
        _nanoseconds(config.memory_histogram_decay_half_life),
        _nanoseconds(config.cpu_histogram_decay_half_life),
        config.oom_bump_up_ratio,
        config.oom_min_bump_up_bytes,
    )


def recommendations(config: RecommenderConfig, *, per_vpa_config: bool) -> Recommendations:
    """How recommendations are computed and changed afterwards; `per_vpa_config` is a feature gate."""
    post_processors: list[RecommendationPostProcessor] = [CappingPostProcessor(config.global_max_allowed())]
    if config.cpu_integer_post_processor_enabled:
        post_processors.insert(0, IntegerCPUPostProcessor())
    recommender = PodResourceRecommender(
        RecommendationConfig(
            safety_margin_fraction=config.recommendation_margin_fraction,
            pod_min_cpu_millicores=config.pod_recommendation_min_cpu_millicores,
            pod_min_memory_mb=config.pod_recommendation_min_memory_mb,
            target_cpu_percentile=config.target_cpu_percentile,
            lower_bound_cpu_percentile=config.recommendation_lower_bound_cpu_percentile,
            upper_bound_cpu_percentile=config.recommendation_upper_bound_cpu_percentile,
            confidence_interval_cpu=_nanoseconds(config.confidence_interval_cpu),
            target_memory_percentile=config.target_memory_percentile,
            lower_bound_memory_percentile=config.recommendation_lower_bound_memory_percentile,
            upper_bound_memory_percentile=config.recommendation_upper_bound_memory_percentile,
            confidence_interval_memory=_nanoseconds(config.confidence_interval_memory),
        )
    )
    format_ = RecommendationFormat(config.humanize_memory, config.round_cpu_millicores, config.round_memory_bytes)
    workers = config.update_worker_count
    return Recommendations(recommender, format_, post_processors, per_vpa_config, workers)


def checkpoint_settings(config: RecommenderConfig) -> CheckpointSettings:
    """What is done about checkpoints."""
    return CheckpointSettings(
        config.use_checkpoints(),
        _nanoseconds(config.checkpoints_timeout),
        _nanoseconds(config.checkpoints_gc_interval),
        config.update_worker_count,
    )


def history_provider(config: RecommenderConfig, transport: Transport, clock: Clock) -> PrometheusHistoryProvider:
    """Where history comes from. Raises InvalidDuration; upstream then exits."""
    api = PrometheusApi(transport, config.prometheus_query_timeout)
    provider_config = PrometheusHistoryProviderConfig(
        history_length=parse_duration(config.history_length),
        history_resolution=parse_duration(config.history_resolution),
        resolution_text=config.history_resolution,
        cadvisor_job_name=config.prometheus_cadvisor_job_name,
        cpu_metric=config.history_cpu_metric,
        memory_metric=config.history_memory_metric,
        metric_for_pod_labels=config.metric_for_pod_labels,
        pod_label_prefix=config.pod_label_prefix,
        pod_namespace_label=config.pod_namespace_label,
        pod_name_label=config.pod_name_label,
        container_namespace_label=config.container_namespace_label,
        container_pod_name_label=config.container_pod_name_label,
        container_name_label=config.container_name_label,
        namespace=config.vpa_object_namespace,
    )
    return PrometheusHistoryProvider(api, provider_config, clock)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * SECOND)
