"""Which containers of a VPA get a recommendation (pkg/recommender/routines/vpa.go)."""

from __future__ import annotations

from lockstep_reference.vpa.apis import CONTAINER_SCALING_MODE_OFF
from lockstep_reference.vpa.recommender.model.vpa import ContainerNameToAggregateStateMap, Vpa
from lockstep_reference.vpa.utils.vpa.policies import get_container_resource_policy


def get_container_name_to_aggregate_state_map(vpa: Vpa, *, per_vpa_config: bool) -> ContainerNameToAggregateStateMap:
    """The aggregation of each container that the policy does not turn off, with the policy applied.

    `per_vpa_config` is the feature gate PerVPAConfig (GetContainerNameToAggregateStateMap).
    """
    chosen: ContainerNameToAggregateStateMap = {}
    for name, state in vpa.aggregate_state_by_container_name().items():
        policy = get_container_resource_policy(name, vpa.resource_policy)
        if policy is None or policy.get("mode") != CONTAINER_SCALING_MODE_OFF:
            state.update_from_policy(policy, per_vpa_config=per_vpa_config)
            chosen[name] = state
    return chosen
