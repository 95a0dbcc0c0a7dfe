"""One sync: horizontal.go, reconcileAutoscaler. Everything around it is given."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lockstep_reference.hpa.behavior import Normalized
from lockstep_reference.hpa.metrics import MetricsError
from lockstep_reference.hpa.metrics_computation import MetricsComputation
from lockstep_reference.hpa.plan import Planner
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.hpa.reconcile import ReconcileError, Reconciler
from lockstep_reference.hpa.target import TargetFinder
from lockstep_reference.hpa.target_pods import TargetPods
from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.restmapper import GroupVersionResource, NoMatchError
from lockstep_reference.machinery.scale import Scale
from lockstep_reference.machinery.store import NAMESPACE_INDEX, Indexer, namespace_index
from tests.reference_hpa.kit import FakeCalculator, FakeClock, FakeRecorder, external, hpa, pods_metric, scale

AT_30 = "2000-01-01T00:00:30Z"
BEFORE = "2000-01-01T00:00:05Z"
BOOM = MetricsError("boom")
FORBIDDEN = ApiError({"code": 403, "reason": "Forbidden", "message": "no"})
NOT_FOUND = ApiError({"code": 404, "reason": "NotFound", "message": "not there"})
READY = ("AbleToScale", "True", "ReadyForNewScale")
WITHIN = ("ScalingLimited", "False", "DesiredWithinRange")
ACTIVE = ("ScalingActive", "True", "ValidMetricFound")


class Sync:
    """Runs one sync of an HPA whose target has 3 replicas, and keeps what it did.

    `proposal` is what the metric named "hits" says; `limit` cuts it as a normalizer does.
    """

    def __init__(
        self,
        obj: dict[str, Any],
        *,
        found: Scale | Exception | None = None,
        mapping: list[GroupVersionResource] | Exception | None = None,
        proposal: tuple[int, int] | Exception = (3, 1000),
        limit: int = 100,
        refuse_scale: Exception | None = None,
        refuse_status: Exception | None = None,
        scale_to_zero: bool = False,
    ) -> None:
        self.recorder = FakeRecorder()
        self.log: list[tuple[Any, ...]] = []
        self.statuses: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.error = ""
        self._found = found or scale(3)
        self._mapping = mapping if mapping is not None else [GroupVersionResource("apps", "v1", "replicasets")]
        self._limit = limit
        self._refuse_scale = refuse_scale
        self._refuse_status = refuse_status
        fake: Any = self
        recorder: Any = self.recorder
        calculator: Any = FakeCalculator(hits=proposal, broken=BOOM)
        target_pods = TargetPods(PodLister(Indexer({NAMESPACE_INDEX: namespace_index})))
        self.reconciler = Reconciler(
            hpa_client=fake,
            targets=TargetFinder(fake, fake),
            planner=Planner(0.1, configurable_tolerance=True),
            metrics=MetricsComputation(target_pods, calculator, recorder),
            normalizer=fake,
            rescaler=_Rescaler(fake),  # type: ignore[arg-type]
            recorder=recorder,
            clock=FakeClock(30.5),
            on_error=self.errors.append,
            scale_to_zero=scale_to_zero,
        )
        asyncio.run(self._run(obj))

    async def _run(self, obj: dict[str, Any]) -> None:
        try:
            await self.reconciler.reconcile_autoscaler(obj, "default/web")
        except ReconcileError as error:
            self.error = str(error)

    # -- the mapper, the scale client, the client of HPAs, the normalizer ----------------------------------------------

    async def rest_mappings(self, group: str, kind: str) -> list[GroupVersionResource]:
        self.log.append(("mappings", group, kind))
        if isinstance(self._mapping, Exception):
            raise self._mapping
        return self._mapping

    async def get(self, group: str, resource: str, namespace: str, name: str) -> Scale:
        self.log.append(("get", group, resource, namespace, name))
        if isinstance(self._found, Exception):
            raise self._found
        return self._found

    async def rescale(self, replicas: int) -> None:
        self.log.append(("rescale", replicas))
        if self._refuse_scale:
            raise self._refuse_scale

    async def update_status(self, namespace: str, obj: dict[str, Any]) -> None:
        assert (namespace, obj["kind"], obj["metadata"]["resourceVersion"]) == (
            "default",
            "HorizontalPodAutoscaler",
            "3",
        )
        self.statuses.append(obj["status"])
        if self._refuse_status:
            raise self._refuse_status

    def record_initial_recommendation(self, replicas: int, key: str) -> None:
        self.log.append(("initial", replicas, key))

    def normalize_desired_replicas(
        self, _spec: Any, _key: str, _current: int, desired: int, minimum: int
    ) -> Normalized:
        replicas = max(min(desired, self._limit), minimum)
        if replicas == desired:
            return Normalized(replicas, READY[2], "ready", False, WITHIN[2], "within")
        return Normalized(replicas, READY[2], "ready", True, "TooManyReplicas", "too many")

    def store_scale_event(self, _behavior: Any, key: str, before: int, after: int) -> None:
        self.log.append(("scaled", key, before, after))

    # -- what came of it -----------------------------------------------------------------------------------------------

    @property
    def status(self) -> dict[str, Any]:
        (status,) = self.statuses
        return status

    @property
    def conditions(self) -> list[tuple[str, str, str]]:
        return [(one["type"], one["status"], one["reason"]) for one in self.status["conditions"]]

    @property
    def counts(self) -> tuple[int, int]:
        return self.status.get("currentReplicas", 0), self.status["desiredReplicas"]

    def did(self, *kinds: str) -> list[tuple[Any, ...]]:
        return [entry for entry in self.log if entry[0] in kinds]


class _Rescaler:
    def __init__(self, sync: Sync) -> None:
        self._sync = sync

    async def update(self, group: str, resource: str, namespace: str, name: str, *rest: Any) -> None:
        assert (group, resource, namespace, name) == ("apps", "replicasets", "default", "web")
        await self._sync.rescale(rest[1])


HITS = pods_metric("hits")


def test_nothing_to_do() -> None:
    sync = Sync(hpa(HITS))
    assert sync.log == [
        ("mappings", "apps", "ReplicaSet"),
        ("get", "apps", "replicasets", "default", "web"),
        ("initial", 3, "default/web"),
    ]
    assert (sync.counts, sync.conditions) == ((3, 3), [READY, ACTIVE, WITHIN])
    assert "lastScaleTime" not in sync.status
    assert (sync.recorder.events, sync.errors, sync.error) == ([], [], "")


def test_nothing_new_to_say() -> None:
    first = Sync(hpa(HITS))
    assert Sync(hpa(HITS, status=first.status)).statuses == []


@pytest.mark.parametrize(
    ("proposal", "reason"),
    [((5, 1), "pods metric hits above target"), ((2, 1), "All metrics below target")],
)
def test_scaling(proposal: tuple[int, int], reason: str) -> None:
    sync = Sync(hpa(HITS, status={"lastScaleTime": BEFORE}), proposal=proposal)
    replicas = proposal[0]
    assert sync.did("rescale", "scaled") == [("rescale", replicas), ("scaled", "default/web", 3, replicas)]
    assert sync.recorder.events == [("Normal", "SuccessfulRescale", f"New size: {replicas}; reason: {reason}")]
    assert (sync.counts, sync.status["lastScaleTime"]) == ((3, replicas), AT_30)
    assert sync.conditions == [("AbleToScale", "True", "SucceededRescale"), ACTIVE, WITHIN]
    message = f"the HPA controller was able to update the target scale to {replicas}"
    assert sync.status["conditions"][0]["message"] == message


def test_a_limit() -> None:
    sync = Sync(hpa(HITS), proposal=(50, 1), limit=3)
    assert sync.did("rescale") == []
    assert sync.conditions[2] == ("ScalingLimited", "True", "TooManyReplicas")


@pytest.mark.parametrize(
    ("found", "spec", "replicas", "reason"),
    [
        (scale(12), {}, 10, "Current number of replicas above Spec.MaxReplicas"),
        (scale(1), {"minReplicas": 2}, 2, "Current number of replicas below Spec.MinReplicas"),
    ],
)
def test_outside_of_the_limits(found: Scale, spec: dict[str, Any], replicas: int, reason: str) -> None:
    sync = Sync(hpa(HITS, **spec), found=found, proposal=BOOM)
    assert sync.recorder.events == [("Normal", "SuccessfulRescale", f"New size: {replicas}; reason: {reason}")]
    assert sync.conditions == [("AbleToScale", "True", "SucceededRescale")]
    assert sync.status["currentMetrics"] is None


class TestTargets:
    """What may be wrong with the target."""

    @pytest.mark.parametrize(
        ("options", "target", "error", "prefix"),
        [
            (
                {},
                {"kind": "ReplicaSet", "name": "web", "apiVersion": "a/b/c"},
                "unexpected GroupVersion string: a/b/c",
                "invalid API version in scale target reference",
            ),
            (
                {"mapping": NoMatchError("no matches")},
                None,
                "no matches",
                "unable to determine resource for scale target reference",
            ),
            (
                {"mapping": FORBIDDEN},
                None,
                "no",
                "unable to determine resource for scale target reference",
            ),
            (
                {"found": NOT_FOUND},
                None,
                "not there",
                "failed to query scale subresource for ReplicaSet/default/web",
            ),
            (
                {"mapping": []},
                None,
                "unrecognized resource",
                "failed to query scale subresource for ReplicaSet/default/web",
            ),
            (
                {"found": ConnectionResetError("cut")},
                None,
                "cut",
                "failed to query scale subresource for ReplicaSet/default/web",
            ),
        ],
    )
    def test_is_reported(self, options: dict[str, Any], target: Any, error: str, prefix: str) -> None:
        old = {"currentReplicas": 2, "desiredReplicas": 2, "observedGeneration": 1}
        sync = Sync(hpa(HITS, target=target, status=old), **options)
        assert sync.recorder.events == [("Warning", "FailedGetScale", error)]
        assert sync.conditions == [("AbleToScale", "False", "FailedGetScale")]
        message = f"the HPA controller was unable to get the target's current scale: {error}"
        assert sync.status["conditions"][0]["message"] == message
        assert {key: sync.status[key] for key in old} == old
        assert sync.error == f"{prefix}: {error}"
        assert sync.did("initial") == []

    def test_is_found_by_another_version(self) -> None:
        mapping = [GroupVersionResource("apps", "v2", "others"), GroupVersionResource("apps", "v1", "replicasets")]

        class Second(Sync):
            async def get(self, group: str, resource: str, namespace: str, name: str) -> Scale:
                if resource == "others":
                    raise NOT_FOUND
                return await super().get(group, resource, namespace, name)

        sync = Second(hpa(HITS), mapping=mapping, proposal=(5, 1))
        assert sync.did("rescale") == [("rescale", 5)]

    def test_a_status_that_cannot_be_written_either_is_only_reported(self) -> None:
        sync = Sync(hpa(HITS), found=NOT_FOUND, refuse_status=FORBIDDEN)
        assert [reason for _, reason, _ in sync.recorder.events] == ["FailedGetScale", "FailedUpdateStatus"]
        assert sync.errors == ["failed to update status for web: no"]
        assert sync.error == "failed to query scale subresource for ReplicaSet/default/web: not there"


class TestFailures:
    """What else may go wrong."""

    def test_no_metric_works(self) -> None:
        old = {"currentReplicas": 9, "desiredReplicas": 8, "lastScaleTime": BEFORE}
        sync = Sync(hpa(HITS, status=old), proposal=BOOM)
        error = "invalid metrics (1 invalid out of 1), first error is: failed to get pods metric value: boom"
        assert sync.recorder.events == [
            ("Warning", "FailedGetPodsMetric", "boom"),
            ("Warning", "FailedComputeMetricsReplicas", error),
        ]
        assert (sync.counts, sync.status["lastScaleTime"]) == ((3, 8), BEFORE)
        assert sync.status["currentMetrics"] == [{"type": ""}]
        assert sync.conditions == [
            ("AbleToScale", "True", "SucceededGetScale"),
            ("ScalingActive", "False", "FailedGetPodsMetric"),
        ]
        text = "failed to compute desired number of replicas based on listed metrics for ReplicaSet/default/web"
        assert sync.error == f"{text}: {error}"

    def test_one_of_two_metrics_fails(self) -> None:
        sync = Sync(hpa(HITS, pods_metric("broken")), proposal=(5, 1))
        assert sync.did("rescale") == [("rescale", 5)]
        assert sync.conditions == [("AbleToScale", "True", "SucceededRescale"), ACTIVE, WITHIN]
        assert sync.error.startswith("invalid metrics (1 invalid out of 2)")

    def test_the_scale_cannot_be_written(self) -> None:
        sync = Sync(hpa(HITS, status={"desiredReplicas": 8}), proposal=(5, 1), refuse_scale=FORBIDDEN)
        text = "New size: 5; reason: pods metric hits above target; error: no"
        assert sync.recorder.events == [("Warning", "FailedRescale", text)]
        assert sync.conditions[0] == ("AbleToScale", "False", "FailedUpdateScale")
        assert (sync.counts, len(sync.status["currentMetrics"])) == ((3, 8), 1)
        assert "lastScaleTime" not in sync.status
        assert sync.did("scaled") == []
        assert sync.error == "failed to rescale ReplicaSet/default/web: no"

    def test_the_status_cannot_be_written(self) -> None:
        sync = Sync(hpa(HITS, pods_metric("broken")), proposal=(5, 1), refuse_status=FORBIDDEN)
        assert sync.did("rescale") == [("rescale", 5)]
        assert sync.recorder.events[-1] == ("Warning", "FailedUpdateStatus", "no")
        assert sync.error == "failed to update status for web: no"  # rather than that of the metric

    def test_without_any_metric_there_are_as_few_as_may_be(self) -> None:
        obj = hpa(minReplicas=2)
        obj["spec"]["metrics"] = []
        sync = Sync(obj)
        assert sync.did("rescale") == [("rescale", 2)]
        assert sync.recorder.events == [
            ("Normal", "SuccessfulRescale", "New size: 2; reason: All metrics below target")
        ]


WAS_ZEROED = {"type": "ScaledToZero", "status": "True", "lastTransitionTime": BEFORE, "reason": "", "message": ""}


class TestZero:
    """Replicas at zero, and the feature gate HPAScaleToZero."""

    def test_a_zero_of_another_writer_is_left_alone(self) -> None:
        sync = Sync(hpa(HITS, status={"conditions": [WAS_ZEROED]}), found=scale(0), proposal=(5, 1))
        assert sync.did("rescale") == []
        assert sync.conditions == [
            ("AbleToScale", "True", "SucceededGetScale"),
            ("ScalingActive", "False", "ScalingDisabled"),
        ]
        assert (sync.counts, sync.status["currentMetrics"]) == ((0, 0), None)

    @pytest.mark.parametrize(
        ("metric", "minimum", "zeroed", "wakes_up"),
        [
            ("external", 0, True, True),
            ("external", 2, True, True),
            ("pods", 2, True, True),
            ("pods", 0, True, False),
            ("external", 0, False, False),
            ("external", 2, False, False),
        ],
    )
    def test_its_own_zero_may_end(self, metric: str, minimum: int, zeroed: bool, wakes_up: bool) -> None:
        source = external("hits", averageValue="1") if metric == "external" else HITS
        status = {"conditions": [WAS_ZEROED] if zeroed else []}
        obj = hpa(source, minReplicas=minimum, status=status)
        sync = Sync(obj, found=scale(0), proposal=(5, 1), scale_to_zero=True)
        assert bool(sync.did("rescale")) is wakes_up
        if wakes_up:
            assert ("ScaledToZero", "False", "NotScaledToZero") in sync.conditions
        elif zeroed:
            assert ("ScaledToZero", "True", "") in sync.conditions

    def test_at_least_to_the_minimum(self) -> None:
        class Unlimited(Sync):
            def normalize_desired_replicas(self, *arguments: Any) -> Normalized:
                return super().normalize_desired_replicas(*arguments)._replace(replicas=0)

        obj = hpa(HITS, minReplicas=2, status={"conditions": [WAS_ZEROED]})
        sync = Unlimited(obj, found=scale(0), proposal=(0, 1), scale_to_zero=True)
        assert sync.did("rescale") == [("rescale", 2)]
        text = "New size: 2; reason: Current number of replicas below Spec.MinReplicas"
        assert sync.recorder.events == [("Normal", "SuccessfulRescale", text)]

    @pytest.mark.parametrize(
        ("metric", "minimum", "replicas", "reason"),
        [("external", 0, 0, "ScaledToZero"), ("pods", 0, 0, "NotScaledToZero"), ("external", 0, 5, "NotScaledToZero")],
    )
    def test_who_scaled_to_zero(self, metric: str, minimum: int, replicas: int, reason: str) -> None:
        source = external("hits", averageValue="1") if metric == "external" else HITS
        sync = Sync(hpa(source, minReplicas=minimum), proposal=(replicas, 1), scale_to_zero=True)
        assert sync.conditions[-1] == ("ScaledToZero", str(reason == "ScaledToZero"), reason)

    def test_without_the_gate_a_rescale_removes_the_condition(self) -> None:
        sync = Sync(hpa(HITS, status={"conditions": [WAS_ZEROED]}), proposal=(5, 1))
        assert "ScaledToZero" not in [kind for kind, _, _ in sync.conditions]
