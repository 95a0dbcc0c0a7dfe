"""Priority: which pods are updated, and in which order."""

from __future__ import annotations

from typing import Any

from lockstep.implementations.oracle.capping import calculator_of
from lockstep_reference.vpa.apis import recommendation_from_wire
from lockstep_reference.vpa.updater.priority.assessment import Assessor
from lockstep_reference.vpa.updater.priority.scaling_direction import ScalingDirectionPodEvictionAdmission
from lockstep_reference.vpa.updater.priority.update_priority_calculator import (
    UpdateConfig,
    UpdatePriorityCalculator,
)
from lockstep_reference.vpa.utils.vpa.capping import CappingRecommendationProcessor


def answer(question: Any) -> Any:
    """The priority of each pod, then the names of those that are updated."""
    vpa, pods = question["vpa"], question["pods"]
    config = UpdateConfig(
        question["threshold"], question["lifetime"], question["oom"], per_vpa_config=question["perVPAConfig"]
    )
    infeasible = {uid: recommendation_from_wire(tried) or [] for uid, tried in question["infeasible"].items()}
    limit_ranges = calculator_of(())
    assessor = Assessor(CappingRecommendationProcessor(limit_ranges), limit_ranges)
    calculator = UpdatePriorityCalculator(vpa, config, assessor)
    priorities = []
    for pod in pods:
        found = assessor.assess(pod, vpa).priority
        priorities.append([found.outside_recommended_range, found.scale_up, found.resource_diff])
        calculator.add_pod(pod, question["now"], infeasible)
    admission = ScalingDirectionPodEvictionAdmission()
    admission.loop_init([(vpa, pods)])
    return [priorities, [pod["metadata"]["name"] for pod in calculator.get_sorted_pods(admission)]]
