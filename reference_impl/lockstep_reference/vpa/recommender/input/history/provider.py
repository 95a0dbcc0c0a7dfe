"""What containers used before the recommender started (pkg/recommender/input/history/history_provider.go).

There are three queries: CPU and memory as ranges, and the labels of pods, which are needed to find their VPAs. The last
one must also return a matrix. An instant query does so only if it names a range. The default of --metric-for-pod-labels
names none, so with it there is no history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import CPU, MEMORY
from lockstep_reference.vpa.recommender.input.history import HistoryError, PodHistory
from lockstep_reference.vpa.recommender.input.history.prometheus_api import (
    PrometheusApi,
    PrometheusError,
    Series,
)
from lockstep_reference.vpa.recommender.model.container import ContainerUsageSample
from lockstep_reference.vpa.recommender.model.types import (
    PodID,
    cpu_amount_from_cores,
    memory_amount_from_bytes,
)


@dataclass(frozen=True, slots=True)
class PrometheusHistoryProviderConfig:
    """Names of metrics and labels, from flags; length and resolution are in nanoseconds.

    `resolution_text` is the resolution as the flag has it, since the query for CPU repeats it.
    """

    history_length: int
    history_resolution: int
    resolution_text: str
    cadvisor_job_name: str
    cpu_metric: str
    memory_metric: str
    metric_for_pod_labels: str
    pod_label_prefix: str
    pod_namespace_label: str
    pod_name_label: str
    container_namespace_label: str
    container_pod_name_label: str
    container_name_label: str
    namespace: str


History = dict[PodID, PodHistory]


class PrometheusHistoryProvider:
    """See the module."""

    def __init__(self, api: PrometheusApi, config: PrometheusHistoryProviderConfig, clock: Clock) -> None:
        self._api = api
        self._config = config
        self._clock = clock

    async def get_cluster_history(self) -> History:
        """Every pod with usage or labels (GetClusterHistory). Raises HistoryError."""
        history: History = {}
        selector = self._selector()
        cpu = f"rate({self._config.cpu_metric}{{{selector}}}[{self._config.resolution_text}])"
        await self._read_resource_history(history, cpu, CPU)
        await self._read_resource_history(history, f"{self._config.memory_metric}{{{selector}}}", MEMORY)
        for pod in history.values():
            for samples in pod.samples.values():
                samples.sort(key=lambda sample: sample.measure_start)
        try:
            await self._read_last_labels(history)
        except (PrometheusError, HistoryError) as error:
            raise HistoryError(f"cannot read last labels: {error}") from error
        return history

    def _selector(self) -> str:
        """The selector of all usage queries, as upstream writes it."""
        config = self._config
        job = f'job="{config.cadvisor_job_name}", ' if config.cadvisor_job_name else ""
        name = config.container_name_label
        selector = f'{job}{config.container_pod_name_label}=~".+", {name}!="POD", {name}!=""'
        if config.namespace:
            selector += f', {config.container_namespace_label}="{config.namespace}"'
        return selector

    async def _read_resource_history(self, history: History, query: str, resource: str) -> None:
        end = self._clock.now()
        try:
            matrix = await self._api.query_range(
                query, end - self._config.history_length, end, self._config.history_resolution
            )
        except PrometheusError as error:
            raise HistoryError(f"cannot get usage history: cannot get timeseries for {resource}: {error}") from error
        for series in matrix:
            pod, container = self._container_of(series)
            samples = history.setdefault(pod, PodHistory()).samples.setdefault(container, [])
            samples.extend(
                ContainerUsageSample(instant, _amount(value, resource), resource) for instant, value in series.values
            )

    async def _read_last_labels(self, history: History) -> None:
        try:
            matrix = await self._api.query(self._config.metric_for_pod_labels, self._clock.now())
        except PrometheusError as error:
            raise HistoryError(f"cannot get timeseries for labels: {error}") from error
        for series in matrix:
            pod = self._pod_of(series)
            known = history.setdefault(pod, PodHistory())
            instant = series.values[-1][0] if series.values else None
            if instant is None:
                raise HistoryError(f"a series of {pod.namespace}/{pod.pod_name} has no samples")
            if instant > known.last_seen:
                known.last_seen = instant
                known.last_labels = self._pod_labels(series.metric)

    def _container_of(self, series: Series) -> tuple[PodID, str]:
        """GetContainerIDFromLabels."""
        config, metric = self._config, series.metric
        try:
            pod = PodID(metric[config.container_namespace_label], metric[config.container_pod_name_label])
            return pod, metric[config.container_name_label]
        except KeyError as error:
            raise HistoryError(
                f"cannot get usage history: cannot get container ID from labels: {_labels_text(metric)}"
            ) from error

    def _pod_of(self, series: Series) -> PodID:
        """GetPodIDFromLabels."""
        try:
            return PodID(series.metric[self._config.pod_namespace_label], series.metric[self._config.pod_name_label])
        except KeyError as error:
            text = _labels_text(series.metric)
            raise HistoryError(f"cannot get container ID from labels {text}: no {error.args[0]} label") from error

    def _pod_labels(self, metric: Mapping[str, str]) -> dict[str, str]:
        """The labels of the metric that begin with the prefix, without it; an empty prefix finds none."""
        prefix = self._config.pod_label_prefix
        return {key[len(prefix) :]: value for key, value in metric.items() if prefix and key.startswith(prefix)}


def _amount(value: float, resource: str) -> int:
    """Cores or bytes as the model counts them (resourceAmountFromValue)."""
    return cpu_amount_from_cores(value) if resource == CPU else memory_amount_from_bytes(value)


def _labels_text(metric: Mapping[str, str]) -> str:
    """How Prometheus prints a metric."""
    name = metric.get("__name__", "")
    labels = ", ".join(f'{key}="{value}"' for key, value in sorted(metric.items()) if key != "__name__")
    return f"{name}{{{labels}}}" if labels or not name else name
