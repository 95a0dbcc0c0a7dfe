"""The policies in a VPA's spec (pkg/utils/vpa/api.go)."""

from __future__ import annotations

from typing import Any

from lockstep_reference.vpa.apis import (
    CONTROLLED_VALUES_REQUESTS_AND_LIMITS,
    DEFAULT_CONTAINER_RESOURCE_POLICY,
    UPDATE_MODE_RECREATE,
    Object,
)


def update_policy_of(vpa: Object) -> dict[str, Any]:
    """`spec.updatePolicy`, empty if there is none."""
    return vpa["spec"].get("updatePolicy") or {}


def get_update_mode(vpa: Object) -> str:
    """The mode; Recreate if none is set (GetUpdateMode)."""
    return update_policy_of(vpa).get("updateMode") or UPDATE_MODE_RECREATE


def has_startup_boost(vpa: Object) -> bool:
    """Whether the CPU of any container is boosted when it starts (HasStartupBoost)."""
    spec = vpa["spec"]
    if spec.get("startupBoost") is not None:
        return True
    policies = (spec.get("resourcePolicy") or {}).get("containerPolicies") or ()
    return any(policy.get("startupBoost") is not None for policy in policies)


def get_container_resource_policy(container_name: str, policy: Object | None) -> Object | None:
    """The policy for that container: the first with its name, else the last for `*` before that.

    `policy` is `spec.resourcePolicy` (GetContainerResourcePolicy).
    """
    default: Object | None = None
    for one in (policy or {}).get("containerPolicies") or ():
        name = one.get("containerName")
        if name == container_name:
            found: Object = one
            return found
        if name == DEFAULT_CONTAINER_RESOURCE_POLICY:
            default = one
    return default


def get_container_controlled_values(name: str, policy: Object | None) -> str:
    """Whether limits are controlled too, which is the default (GetContainerControlledValues)."""
    found = get_container_resource_policy(name, policy)
    value = None if found is None else found.get("controlledValues")
    return CONTROLLED_VALUES_REQUESTS_AND_LIMITS if value is None else str(value)
