"""How a scenario sets metrics: `cluster.metrics`. See docs/metrics.md for a tour."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lockstep.apiserver import ApiServer
from lockstep.metrics.curves import Number, curve_of
from lockstep.metrics.custom_api import CustomApi
from lockstep.metrics.edits import AnswerEdit, Edit, PodEdit, without_container
from lockstep.metrics.external_api import ExternalApi
from lockstep.metrics.groups import CUSTOM, EXTERNAL, RESOURCE, ApiGroup, Backend
from lockstep.metrics.handles import Handle, Handles, MetricsError
from lockstep.metrics.loads import Load
from lockstep.metrics.measuring import Measurements
from lockstep.metrics.memory_limits import memory_rule
from lockstep.metrics.pods_metrics import PodsMetrics
from lockstep.metrics.resource_api import ResourceApi
from lockstep.metrics.rhythm import Rhythm
from lockstep.metrics.series import PodSeries, PointSeries
from lockstep.metrics.tables import RowLike, Table
from lockstep.metrics.usage import Usage, Value, usage_of
from lockstep.metrics.views import Selection
from lockstep.time.clock import seconds
from lockstep.world.memory import MemoryRule

Labels = Mapping[str, str]
#: Which pods: a name means those labelled `app: NAME`.
Chosen = str | Labels


class Metrics:
    """The metrics of one cluster. Each API group exists from the moment when a scenario first uses it."""

    def __init__(self, server: ApiServer, enforce: Callable[[MemoryRule], None] | None = None) -> None:
        self._server = server
        #: Has the kernel enforce memory limits against a load.
        self._enforce = enforce
        self._now = server.state.now
        self._measurements = Measurements(server.state)
        self._tables: Handles[Table] = Handles(lambda one: (one.resource, one.metric))
        self._pod_edits: Handles[PodEdit] = Handles()
        self._objects: Handles[PointSeries] = Handles(lambda one: (one.resource, one.metric, one.namespace))
        self._external: Handles[PointSeries] = Handles(lambda one: one.metric)
        state, measurements = server.state, self._measurements
        self._resource_api = ResourceApi(state, measurements, self._tables, self._pod_edits)
        self._pods_metrics = PodsMetrics(measurements, self._tables, self._pod_edits)
        backends: dict[str, Backend] = {
            RESOURCE: self._resource_api,
            CUSTOM: CustomApi(state, measurements, self._objects, self._pods_metrics),
            EXTERNAL: ExternalApi(measurements, self._external),
        }
        self._groups = {name: ApiGroup(name, backend, self._now) for name, backend in backends.items()}
        self._removed: set[str] = set()

    def begin(self) -> None:
        """The scenario begins at this instant: curves and scrapes count from here."""
        self._measurements.use(Rhythm(self._now()))

    # -- usage --------------------------------------------------------------------------------------------------------

    def load(
        self,
        pods: Chosen,
        *,
        cpu: Usage | Value | None = None,
        memory: Usage | Value | None = None,
        startup: Number | None = None,
        container: str | None = None,
        namespace: str = "default",
        oom: bool = False,
    ) -> Load:
        """Set what some pods use, in cores and bytes: pods labelled `app: NAME`, or those with the labels given.

        `startup` is a curve over the seconds since a container started, in cores, and is added to `cpu`. `container`:
        which container uses it, by default the first in the spec. `oom`: the container is killed when the memory that
        this load gives it exceeds its limit, checked every 5 s of its age; see `Kubelet.oom_kill`.
        """
        self._appear(RESOURCE)
        selection = Selection.of(pods, namespace)
        used = [None if one is None else usage_of(one) for one in (cpu, memory)]
        start = None if startup is None else curve_of(startup)
        load = self._measurements.loads.add(Load(self._now, selection, used[0], used[1], start, container))
        if oom:
            if self._enforce is None:
                raise MetricsError("load(oom=True): these metrics are not those of a cluster with kubelets")
            self._enforce(memory_rule(load, lambda: self._measurements.rhythm.start))
        return load

    def scrape(
        self,
        period: float = 15.0,
        *,
        lag: float = 0.0,
        offset: float = 0.0,
        kubelet: float = 0.0,
        window: float | None = None,
    ) -> None:
        """Measure every `period` seconds, beginning `offset` seconds after the scenario; show it `lag` seconds later.

        `kubelet`: the kubelet's own period; each scrape gets its last point; 0: the kubelet measures at each scrape.
        `window`: the window that answers report, by default the real one. `period=0`: nothing is scraped, answers show
        the present moment.
        """
        start = self._measurements.rhythm.start
        self._measurements.use(Rhythm.of(start, period, lag, offset, kubelet, window))

    def exact(
        self,
        pods: Chosen,
        rows: Sequence[RowLike],
        *,
        resource: str = "cpu",
        metric: str | None = None,
        rest: RowLike = None,
        age: float = 0.0,
        window: float | None = None,
        namespace: str = "default",
    ) -> Table:
        """Set what answers show for the first pod, the second ... in canonical order; for further ones, `rest`.

        The table is for a resource, or for the pods metric `metric` of the custom API. `age` in seconds before the
        answer.
        """
        self._appear(CUSTOM if metric else RESOURCE)
        selection = Selection.of(pods, namespace)
        about = ("", metric) if metric else (resource, "")
        for one in self._tables.about(about, self._now()):
            if one.selection == selection:
                one.stop()
        return self._tables.add(Table(self._now, selection, rows, rest, about, age, window))

    # -- custom and external metrics ----------------------------------------------------------------------------------

    def pods(
        self,
        metric: str,
        pods: Chosen,
        value: Usage | Value,
        *,
        labels: Labels | None = None,
        window: int | None = None,
        namespace: str = "default",
    ) -> PodSeries:
        """Set the value of a metric for each of some pods, chosen as in `load`."""
        self._appear(CUSTOM)
        selection = Selection.of(pods, namespace)
        series = PodSeries(self._now, metric, labels, window, selection, usage_of(value))
        return self._measurements.series.add(series)

    def object(
        self,
        metric: str,
        resource: str,
        name: str,
        value: Value,
        *,
        labels: Labels | None = None,
        window: int | None = None,
        namespace: str = "default",
    ) -> PointSeries:
        """Set the value of a metric for an object; `resource` is `plural.group`, as in `cluster.get`."""
        self._appear(CUSTOM)
        kind = self._server.state.registry.of_resource(resource)
        if kind is None:
            raise MetricsError(
                f"no resource {resource!r}: name it as plural.group, for example services, deployments.apps"
            )
        place = namespace if kind.namespaced else ""
        series = PointSeries(self._now, metric, labels, window, value, place, kind.resource, name)
        return self._objects.add(series)

    def external(
        self,
        metric: str,
        value: Value,
        *,
        labels: Labels | None = None,
        window: int | None = None,
        namespace: str = "default",
    ) -> PointSeries:
        """Set one series of an external metric."""
        self._appear(EXTERNAL)
        return self._external.add(PointSeries(self._now, metric, labels, window, value, namespace))

    # -- what can go wrong --------------------------------------------------------------------------------------------

    def lose(
        self,
        pods: Chosen,
        which: int | None,
        *,
        container: str | None = None,
        metric: str = "",
        during: float | None = None,
        namespace: str = "default",
    ) -> PodEdit:
        """The pod at position `which` has no metrics, or that container of it has none; None for all pods."""
        edit = None if container is None else without_container(container)
        selection = Selection.of(pods, namespace)
        return self._pod_edits.add(PodEdit(self._now, self._until(during), selection, which, metric, edit))

    def alter(
        self,
        pods: Chosen,
        which: int | None,
        edit: Edit,
        *,
        metric: str = "",
        during: float | None = None,
        namespace: str = "default",
    ) -> PodEdit:
        """Change the entry of the pod at position `which`, or of all pods. Entries of metrics are those of v1beta2."""
        selection = Selection.of(pods, namespace)
        return self._pod_edits.add(PodEdit(self._now, self._until(during), selection, which, metric, edit))

    def freeze(
        self,
        pods: Chosen | None = None,
        which: int | None = None,
        *,
        metric: str = "",
        during: float | None = None,
        namespace: str = "default",
    ) -> Handle:
        """Values and timestamps of the pod at position `which`, or of all of them, stay as they are.

        Without `pods`, all measurements stop: pods without metrics now get none.
        """
        if pods is None:
            return self._measurements.freeze(self._until(during))
        selection = Selection.of(pods, namespace)
        shown: dict[str, Any] = {}
        for pod in self._measurements.pods.select(namespace, selection.text):
            one = self._pods_metrics.entries(metric, [pod]) if metric else self._resource_api.entries([pod])
            shown.update((pod.uid, entry) for entry in one)
        edit = PodEdit(self._now, self._until(during), selection, which, metric, None, shown)
        return self._pod_edits.add(edit)

    def garble(self, group: str, edit: Edit, *, during: float | None = None) -> AnswerEdit:
        """Change whole answers of an API group: to another document, or to text."""
        return self._group(group).edits.add(AnswerEdit(self._now, self._until(during), group, edit))

    def unavailable(self, group: str, *, during: float | None = None) -> Handle:
        """The group does not answer: 503, in discovery too."""
        return self._group(group).outages.add(Handle(self._now, self._until(during)))

    def remove(self, group: str) -> None:
        """Remove the group until `serve`."""
        self._group(group)
        self._removed.add(group)
        self._server.state.aggregated.pop(group, None)

    def serve(self, group: str, *versions: str) -> None:
        """Serve the group in these versions, the preferred one first; without arguments, in all versions."""
        found = self._group(group)
        found.use(versions)
        self._removed.discard(group)
        self._server.state.aggregated[group] = found

    def _appear(self, group: str) -> None:
        """Serve a group that the scenario uses, unless it has been removed, and follow the pods."""
        _ = self._measurements.pods
        if group not in self._removed:
            self._server.state.aggregated.setdefault(group, self._groups[group])

    def _group(self, name: str) -> ApiGroup:
        if name not in self._groups:
            raise MetricsError(f"{name!r} is no metrics API; there are {', '.join(self._groups)}")
        return self._groups[name]

    def _until(self, during: float | None) -> int | None:
        return None if during is None else self._now() + seconds(during)
