"""Feature gates of the server: defaults, choices, and the gates that stand for a whole stage."""

from __future__ import annotations

import pytest

from lockstep.apiserver.features import DEFAULTS, feature_gates


@pytest.mark.parametrize(
    ("chosen", "tolerance", "zero"),
    [
        ({}, True, False),
        ({"HPAScaleToZero": True}, True, True),
        ({"AllAlpha": True}, True, True),
        ({"AllBeta": False}, False, False),
        ({"AllBeta": False, "HPAConfigurableTolerance": True}, True, False),
        ({"ElsewhereOnly": True}, True, False),
    ],
)
def test_a_choice_goes_before_its_stage_and_that_before_the_default(
    chosen: dict[str, bool], tolerance: bool, zero: bool
) -> None:
    found = feature_gates(chosen)
    assert found == {"HPAConfigurableTolerance": tolerance, "HPAScaleToZero": zero}
    assert found.keys() == DEFAULTS.keys()
