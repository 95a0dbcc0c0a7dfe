"""What scenarios use: a Prometheus with the series that a scenario gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lockstep.apiserver.messages import Reply, Request, TextReply
from lockstep.metrics.curves import Number, curve_of
from lockstep.prometheus.answers import answer, arguments_of, samples_in
from lockstep.prometheus.series import NAME, Series
from lockstep.time.clock import SECOND

#: Requests whose paths begin with this go to Prometheus, and to no other server.
PREFIX = "/prometheus/"
_API = f"{PREFIX}api/v1/"
_UNIX_2000 = 946_684_800_000  # milliseconds
_DAY = 86_400.0


class Asked(NamedTuple):
    """One query: its endpoint, its arguments as received, and how many samples the answer contained."""

    endpoint: str
    arguments: Mapping[str, str]
    samples: int

    @property
    def days(self) -> float:
        """The length of its range in days; 0 without one."""
        start, end = (float(self.arguments.get(name, 0)) for name in ("start", "end"))
        return round((end - start) / _DAY, 3)


class Prometheus:
    """Times are seconds on the scenario's clock; those of history are negative. `start` is the instant of its zero.

    Labels are those that the recommender queries by default.
    """

    def __init__(self, start: Callable[[], int]) -> None:
        self._start = start
        self._series: list[tuple[dict[str, str], Sequence[tuple[float, float]]]] = []
        self._made: tuple[int, list[Series]] = (0, [])
        self._fixed: Reply | None = None
        #: The queries that were answered from the series, in order.
        self.asked: list[Asked] = []

    def add(self, metric: str, labels: Mapping[str, str], samples: Sequence[tuple[float, float]]) -> None:
        """Add a series of (time, value), in order of time."""
        self._series.append(({**labels, NAME: metric}, samples))

    def usage(
        self,
        pod: str,
        container: str = "main",
        *,
        cpu: Number | None = None,
        memory: Number | None = None,
        days: float = 8.0,
        until: float = 0.0,
        every: float = 60.0,
        namespace: str = "default",
    ) -> None:
        """Add what cAdvisor measured of a container, in cores and bytes, every `every` seconds.

        CPU is stored as a counter: the seconds used since the first measurement.
        """
        times = _times(days, until, every)
        named = {"job": "kubernetes-cadvisor", "namespace": namespace, "pod_name": pod, "name": container}
        if cpu is not None:
            curve, total, counted = curve_of(cpu), 0.0, []
            for time in times:
                counted.append((time, total))
                total += curve(time) * every
            self.add("container_cpu_usage_seconds_total", named, counted)
        if memory is not None:
            curve = curve_of(memory)
            self.add("container_memory_working_set_bytes", named, [(time, curve(time)) for time in times])

    def pod(
        self,
        pod: str,
        labels: Mapping[str, str],
        *,
        days: float = 8.0,
        until: float = 0.0,
        every: float = 60.0,
        namespace: str = "default",
    ) -> None:
        """Add that a pod was up and had these labels."""
        named = {"job": "kubernetes-pods", "kubernetes_namespace": namespace, "kubernetes_pod_name": pod}
        named.update({f"pod_label_{label}": value for label, value in labels.items()})
        self.add("up", named, [(time, 1.0) for time in _times(days, until, every)])

    def answer_with(self, body: Any, status: int = 200) -> None:
        """Answer every request with this text or JSON, until `answer_again`."""
        self._fixed = TextReply(status, body) if isinstance(body, str) else Reply(status, body)

    def answer_again(self) -> None:
        """Answer from the series again."""
        self._fixed = None

    def serve(self, request: Request) -> Reply:
        """The reply to a request whose path begins with PREFIX."""
        if self._fixed is not None:
            return self._fixed
        if not request.path.startswith(_API):
            return TextReply(404, "404 page not found\n")
        endpoint = request.path.removeprefix(_API)
        reply = answer(endpoint, request, self.series())
        self.asked.append(Asked(endpoint, arguments_of(request), samples_in(reply)))
        return reply

    def series(self) -> list[Series]:
        """All series."""
        start = self._start() // (SECOND // 1000) + _UNIX_2000
        made_for, made = self._made
        if made_for != start or len(made) != len(self._series):
            made = [
                Series(labels, [(start + round(time * 1000), value) for time, value in samples])
                for labels, samples in self._series
            ]
            self._made = start, made
        return made


def _times(days: float, until: float, every: float) -> list[float]:
    count = int(days * _DAY // every)
    return [until - (count - number) * every for number in range(count + 1)]
