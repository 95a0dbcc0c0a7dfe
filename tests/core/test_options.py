"""Options: what no program would start with is refused, and the recommender's are those of the reference."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from lockstep.controllers.options import RecommenderOptions, ScenarioError
from lockstep_reference.vpa.recommender.config import RecommenderConfig


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ({"kube_api_qps": 0.0}, "kube_api_qps=0 leaves the rate to client-go; give a rate, or -1 for none"),
        ({"kube_api_burst": 0}, "kube_api_qps needs a kube_api_burst above 0"),
        ({"recommender_interval": 0.0}, "the recommender needs an interval above 0"),
    ],
)
def test_flags_of_no_use_are_refused(flags: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        RecommenderOptions(**flags)
    assert str(refused.value) == reason


def test_no_rate_needs_no_burst() -> None:
    assert RecommenderOptions(kube_api_qps=-1.0, kube_api_burst=0).kube_api_burst == 0


def test_the_reference_has_the_same_flags_with_the_same_defaults() -> None:
    assert asdict(RecommenderConfig()) == asdict(RecommenderOptions())
