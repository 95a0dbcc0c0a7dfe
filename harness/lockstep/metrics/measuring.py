"""The measurements of one run: the last sample of the pods, in the rhythm that the scenario has chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lockstep.apiserver.selectors import parse_labels
from lockstep.metrics.handles import Handle, Handles
from lockstep.metrics.loads import Load, Plan, Sample
from lockstep.metrics.pods import Pods
from lockstep.metrics.rhythm import Rhythm
from lockstep.metrics.series import PodSeries
from lockstep.metrics.usage import Members, Moment, Shares
from lockstep.metrics.views import PodView, Selection
from lockstep.time.clock import SECOND

if TYPE_CHECKING:
    from lockstep.apiserver.state import State


class Values:
    """The values that the series of one metric give for each pod."""

    def __init__(self, by_series: Sequence[tuple[PodSeries, dict[str, float]]] = ()) -> None:
        self._by_series = by_series
        self._totals: dict[str, dict[str, tuple[float, int | None]]] = {}

    def of(self, labels: str) -> dict[str, tuple[float, int | None]]:
        """By uid, the sum of the series that a selector selects, and the window of the first of them."""
        totals = self._totals.get(labels)
        if totals is None:
            totals = self._totals[labels] = {}
            selected = parse_labels(labels)
            for series, amounts in self._by_series:
                if selected.matches(series.labels):
                    for uid, amount in amounts.items():
                        so_far, window = totals.get(uid, (0.0, series.window))
                        totals[uid] = so_far + amount, window
        return totals


class Freeze(Handle):
    """Measurements stop: answers stay as they were when the freeze began."""

    __slots__ = ("measured", "sample", "values")

    def __init__(
        self, now: Callable[[], int], until: int | None, measured: int, sample: Sample, values: dict[str, Values]
    ) -> None:
        super().__init__(now, until)
        self.measured = measured
        self.sample = sample
        self.values = values


class Measurements:
    """Evaluates a measurement when it is first needed, and only once."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.now = state.now
        self._followed: Pods | None = None
        self.rhythm = Rhythm(0)
        self.loads: Handles[Load] = Handles()
        self.series: Handles[PodSeries] = Handles(lambda one: one.metric)
        self.freezes: Handles[Freeze] = Handles()
        #: The current measurement: its instant, the pods then, and what has been computed.
        self._at: int | None = None
        self._views: list[PodView] = []
        self._index: dict[tuple[str, str, str], list[PodView]] = {}
        self._members: dict[Selection, Members] = {}
        self._plan: Plan | None = None
        self._sample: Sample | None = None
        self._values: dict[str, Values] = {}

    @property
    def pods(self) -> Pods:
        """The pods. The first call begins to follow them, so it has to come before the first measurement."""
        if self._followed is None:
            self._followed = Pods(self._state)
            self._followed.reach = self.rhythm.reach
        return self._followed

    def use(self, rhythm: Rhythm) -> None:
        """Measure in another rhythm from now on."""
        self.rhythm = rhythm
        self._at = None
        if self._followed is not None:
            self._followed.reach = max(self._followed.reach, rhythm.reach)

    # -- what answers show --------------------------------------------------------------------------------------------

    def measured(self) -> int:
        """The instant of the measurement that answers show now."""
        freeze = self._frozen()
        return freeze.measured if freeze is not None else self.rhythm.measured(self.now())

    def sample(self) -> Sample:
        """The usage of pods that answers show now."""
        freeze = self._frozen()
        if freeze is not None:
            return freeze.sample
        self._turn_to(self.rhythm.measured(self.now()))
        if self._sample is None:
            loads = self.loads.holding(self._seen())
            if self._plan is None or self._plan.loads != loads:
                self._plan = Plan(loads, self._members_of)
            self._sample = self._plan.take(self.rhythm, self._moment())
        return self._sample

    def values(self, metric: str) -> Values:
        """The values of a pods metric that answers show now."""
        freeze = self._frozen()
        if freeze is not None:
            return freeze.values.get(metric) or Values()
        self._turn_to(self.rhythm.measured(self.now()))
        found = self._values.get(metric)
        if found is None:
            found = self._values[metric] = self._measure(metric)
        return found

    def freeze(self, until: int | None) -> Freeze:
        """Stop measuring."""
        metrics = dict.fromkeys(series.metric for series in self.series)
        values = {metric: self.values(metric) for metric in metrics}
        return self.freezes.add(Freeze(self.now, until, self.measured(), self.sample(), values))

    def present(self) -> Moment:
        """The present moment, for values that are read without a measurement."""
        now = self.now()
        return Moment((now - self.rhythm.start) / SECOND, now, self._ready_now)

    # -- measuring ----------------------------------------------------------------------------------------------------

    def _frozen(self) -> Freeze | None:
        if not self.freezes:
            return None
        return next(iter(self.freezes.holding(self.now())), None)

    def _turn_to(self, measured: int) -> None:
        """Make the measurement of the instant `measured` the current one. A measurement of the present instant can
        still change.
        """
        if measured != self._at or not self.rhythm.period:
            self._at = measured
            self._sample, self._values = None, {}
            views = self.pods.at(self._seen())
            if views is not self._views:
                self._views, self._index, self._members, self._plan = views, {}, {}, None

    def _seen(self) -> int:
        """The last instant whose changes the measurement sees."""
        assert self._at is not None
        return self._at - 1 if self.rhythm.period else self._at

    def _moment(self) -> Moment:
        assert self._at is not None
        return Moment((self._at - self.rhythm.start) / SECOND, self._at, self._ready_then)

    def _measure(self, metric: str) -> Values:
        by_series = []
        moment = self._moment()
        for series in self.series.about(metric, self._seen()):
            members = self._members_of(series.selection)
            shares = Shares(series.usage, members, moment)
            by_series.append((series, {pod.uid: shares.of(pod) for pod in members.pods}))
        return Values(by_series)

    def _members_of(self, selection: Selection) -> Members:
        found = self._members.get(selection)
        if found is None:
            near = self._labelled(selection)
            found = Members([pod for pod in near if pod.running and selection.matches(pod)])
            self._members[selection] = found
        return found

    def _labelled(self, selection: Selection) -> list[PodView]:
        """The pods that have the first of a selection's labels."""
        if not self._index:
            for pod in self._views:
                for key, value in pod.labels.items():
                    self._index.setdefault((pod.namespace, key, value), []).append(pod)
        return self._index.get((selection.namespace, *selection.labels[0]), [])

    def _ready_then(self, selection: Selection) -> int:
        return len(self._members_of(selection).serving)

    def _ready_now(self, selection: Selection) -> int:
        return sum(pod.serving for pod in self.pods.select(selection.namespace, selection.text))
