"""The controller's feature gates: a choice goes before that for its stage, and that before the release's default."""

from __future__ import annotations

import pytest

from lockstep_reference.hpa.assembly import Flags


@pytest.mark.parametrize(
    ("chosen", "on"),
    [
        ({}, ["HPAConfigurableTolerance", "PodLevelResources"]),
        ({"AllBeta": False}, []),
        ({"AllBeta": False, "PodLevelResources": True}, ["PodLevelResources"]),
        ({"AllAlpha": True, "HPAConfigurableTolerance": False}, ["HPAScaleToZero", "PodLevelResources"]),
    ],
)
def test_gates(chosen: dict[str, bool], on: list[str]) -> None:
    flags = Flags(15.0, 300.0, 0.1, 300.0, 30.0, chosen)
    gates = ("HPAConfigurableTolerance", "HPAScaleToZero", "PodLevelResources")
    assert [gate for gate in gates if flags.enabled(gate)] == on
