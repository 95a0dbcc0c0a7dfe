"""Writing scales: horizontal.go, reconcileAutoscaler; client-go util/retry."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lockstep.time.loop import VirtualLoop, run
from lockstep_reference.hpa.rescale import Rescaler
from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.scale import Scale
from tests.reference_hpa.kit import scale

CONFLICT = ApiError({"code": 409, "reason": "Conflict", "message": "too late"})
FORBIDDEN = ApiError({"code": 403, "reason": "Forbidden", "message": "no"})


class FakeScales:
    """Answers updates in turn; reads give a newer version each time."""

    def __init__(self, loop: VirtualLoop, *answers: Exception | None, reading: Exception | None = None) -> None:
        self._loop = loop
        self._answers = list(answers)
        self._reading = reading
        self.sent: list[tuple[float, str, int]] = []
        self.reads = 0

    async def get(self, group: str, resource: str, namespace: str, name: str) -> Scale:
        assert (group, resource, namespace, name) == ("apps", "replicasets", "default", "web")
        self.reads += 1
        if self._reading:
            raise self._reading
        metadata = {"name": "web", "namespace": "default", "resourceVersion": str(10 + self.reads)}
        return scale()._replace(metadata=metadata)

    async def update(self, group: str, resource: str, namespace: str, one: Scale) -> Scale:
        assert (group, resource, namespace) == ("apps", "replicasets", "default")
        self.sent.append((self._loop.time(), one.metadata["resourceVersion"], one.spec_replicas))
        answer = self._answers.pop(0)
        if answer is not None:
            raise answer
        return one


def rescale(*answers: Exception | None, reading: Exception | None = None) -> tuple[FakeScales, list[str], Any]:
    loop = VirtualLoop()
    scales: Any = FakeScales(loop, *answers, reading=reading)
    errors: list[str] = []

    async def main() -> Exception | None:
        rescaler = Rescaler(scales, random.Random(1), errors.append)
        try:
            await rescaler.update("apps", "replicasets", "default", "web", scale(), 5, "ReplicaSet/default/web")
        except ApiError as error:
            return error
        return None

    return scales, errors, run(loop, main())


def test_at_once() -> None:
    scales, errors, error = rescale(None)
    assert (scales.sent, scales.reads, errors, error) == ([(0.0, "7", 5)], 0, [], None)


def test_after_a_conflict_on_what_was_read_since() -> None:
    scales, _, error = rescale(CONFLICT, CONFLICT, None)
    assert error is None
    assert [(version, replicas) for _, version, replicas in scales.sent] == [("7", 5), ("11", 5), ("12", 5)]
    (first, _, _), (second, _, _), (third, _, _) = scales.sent
    assert 0.01 <= second - first < 0.011
    assert 0.01 <= third - second < 0.011


def test_five_times_and_no_more() -> None:
    scales, _, error = rescale(*[CONFLICT] * 5)
    assert error is CONFLICT
    assert (len(scales.sent), scales.reads) == (5, 5)


def test_another_refusal_is_final_but_the_scale_is_read_all_the_same() -> None:
    scales, errors, error = rescale(FORBIDDEN)
    assert error is FORBIDDEN
    assert (len(scales.sent), scales.reads, errors) == (1, 1, [])


@pytest.mark.parametrize("reading", [FORBIDDEN, ConnectionResetError("no")])
def test_without_a_newer_version_the_old_one_is_sent_again(reading: Exception) -> None:
    scales, errors, error = rescale(CONFLICT, None, reading=reading)
    assert error is None
    assert [version for _, version, _ in scales.sent] == ["7", "7"]
    assert errors == ["error getting latest scale for ReplicaSet/default/web during conflict retry: no"]
