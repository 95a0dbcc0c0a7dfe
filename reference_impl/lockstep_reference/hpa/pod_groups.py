"""The pods of each selector, and what the calculator asks about them (replica_calculator.go)."""

from __future__ import annotations

from lockstep.wire.selectors import Selector
from lockstep_reference.hpa.group_pods import Grouping, Initialization, group_pods
from lockstep_reference.hpa.metrics import MetricsError, PodMetricsInfo
from lockstep_reference.hpa.pod_facts import PodGroup
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.requests import calculate_requests
from lockstep_reference.machinery.transport import Clock


class PodGroups:
    """Reads pods once per version, and requests once per state of the cache.

    `pod_level_resources`: whether requests that are made for a whole pod count.
    """

    def __init__(
        self, pod_lister: PodLister, clock: Clock, initialization: Initialization, *, pod_level_resources: bool
    ) -> None:
        self._pod_lister = pod_lister
        self._clock = clock
        self._initialization = initialization
        self._pod_level_resources = pod_level_resources
        self._groups: dict[tuple[str, str], PodGroup] = {}

    def pods(self, namespace: str, selector: Selector) -> PodGroup:
        """The pods of the selector. Raises MetricsError if there are none."""
        key = (namespace, selector.text)
        objects = self._pod_lister.list(namespace, selector)
        group = self._groups.get(key)
        if group is None or group.objects is not objects:
            if not objects:
                self._groups.pop(key, None)
                raise MetricsError("no pods returned by selector while calculating replica count")
            group = self._groups[key] = PodGroup(objects, group)
        return group

    def ready_count(self, namespace: str, selector: Selector) -> int:
        """How many of them are ready (getReadyPodsCount). Raises MetricsError if there are no pods."""
        try:
            return sum([pod.ready for pod in self.pods(namespace, selector).pods])
        except MetricsError as error:
            raise MetricsError(f"unable to calculate ready pods: {error}") from error

    def sort(self, group: PodGroup, metrics: PodMetricsInfo, resource: str) -> Grouping:
        """Group the pods, and take the metrics of those out that do not count. Raises MetricsError if none is left."""
        grouping = group_pods(group.pods, metrics, resource, self._initialization, self._clock.now())
        for pod in (*grouping.ignored, *grouping.unready):
            metrics.pop(pod, None)
        if not metrics:
            raise MetricsError("did not receive metrics for targeted pods (pods might be unready)")
        return grouping

    def requests(self, group: PodGroup, container: str, resource: str) -> dict[str, int]:
        """Requests by pod name (calculateRequests). Raises MetricsError."""
        requests = group.requests.get((container, resource))
        if requests is None:
            requests = calculate_requests(
                group.pods, container, resource, pod_level_resources=self._pod_level_resources
            )
            group.requests[container, resource] = requests
        return requests
