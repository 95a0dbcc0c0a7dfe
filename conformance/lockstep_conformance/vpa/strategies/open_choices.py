"""What plans must avoid: behaviour that upstream leaves undefined, and panics of its programs.

- The updater takes VPAs, and pods of one priority, in the order of a Go map. With a rate limit, that order decides
  which pods are updated in a loop; so only plans of one VPA have a limit. The order of pods of one priority stays
  undefined in most plans: it cannot be avoided, and repetitions find the same choice.
- A LimitRange for pods makes the updater panic, and admission fail, if a container has no recommendation and another
  has one: upstream writes into a nil map (pkg/utils/vpa/capping.go, applyPodLimitRange). So such a LimitRange is only
  in plans where each container has a recommendation, or none has.

Some things are not in the tables at all, for the same reason. Noise or lost metrics: the recommender would remember
different memory peaks of pods that are equal for the updater. Pods of one VPA with different labels: their histograms
are added in the order of a map. Faults of events: client-go retries them after a random time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lockstep_conformance.plans.playing import Plan

_RATE = ("eviction_rate_limit", "eviction_rate_burst")


def comparable(plan: Plan) -> Plan:
    """The plan without the parts whose effect upstream leaves undefined."""
    if _may_lack_recommendations(plan):
        steps = [{**one, "bound": _for_containers(one["bound"])} if "bound" in one else one for one in plan["steps"]]
        plan = {**plan, "bounds": [_for_containers(one) for one in plan["bounds"]], "steps": steps}
    if len({name for name, _ in _specs(plan)}) > 1:
        updater = {name: value for name, value in plan["options"]["updater"].items() if name not in _RATE}
        plan = {**plan, "options": {**plan["options"], "updater": updater}}
    return plan


def _specs(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of VPAs, each with a spec, or part of one, that it has at some time; "" is any of them."""
    for one in plan["vpas"]:
        yield one["name"], one["spec"]
    for step in plan["steps"]:
        if "vpa" in step:
            yield step["vpa"]["name"], step["vpa"]["spec"]
        elif "spec" in step and plan["vpas"]:
            yield plan["vpas"][0]["name"], step["spec"]


def _may_lack_recommendations(plan: Plan) -> bool:
    workloads = [*plan["workloads"], *(step["workload"] for step in plan["steps"] if "workload" in step)]
    several = any(len(one["containers"]) > 1 for one in workloads)
    return several or any("resourcePolicy" in spec for _, spec in _specs(plan))


def _for_containers(bound: dict[str, Any]) -> dict[str, Any]:
    """The bound, for containers instead of for pods."""
    if "items" not in bound:
        return bound
    return {**bound, "items": [{**item, "kind": "Container"} for item in bound["items"]]}
