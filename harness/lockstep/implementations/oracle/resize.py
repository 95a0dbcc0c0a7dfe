"""Resizes: how a pod is changed in place."""

from __future__ import annotations

from typing import Any

from lockstep.implementations.oracle.capping import calculator_of
from lockstep.implementations.oracle.values import StoppedClock
from lockstep_reference.vpa.admission.pod.recommendation import RecommendationProvider
from lockstep_reference.vpa.updater.inplace.annotations import (
    InPlaceUpdatedCalculator,
    UnboostAnnotationCalculator,
)
from lockstep_reference.vpa.updater.inplace.calculator import PatchCalculator
from lockstep_reference.vpa.updater.inplace.resource_updates import ResourceInPlaceUpdatesCalculator
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor


def answer(question: Any) -> Any:
    """The operations of each calculator, by path."""
    limit_ranges, clock = calculator_of(question["limitRanges"]), StoppedClock(0)
    provider = RecommendationProvider(limit_ranges, CappingRecommendationProcessor(limit_ranges))
    calculators: list[PatchCalculator] = [
        ResourceInPlaceUpdatesCalculator(provider, clock),
        InPlaceUpdatedCalculator(),
        UnboostAnnotationCalculator(clock),
    ]
    return [_patches(calculator, question) for calculator in calculators]


def _patches(calculator: PatchCalculator, question: Any) -> Any:
    try:
        patches = calculator.calculate_patches(question["pod"], question["vpa"])
    except ValueError:
        return "failed"
    return sorted(patches, key=lambda one: str(one["path"]))
