"""What plans must keep apart: what upstream leaves open, and what ends its programs.

- The updater takes VPAs, and pods of one priority, in the order of a Go map. Where its rate is limited, that decides
  who is updated in this loop; so only plans of one VPA have a limit. Who of several pods of one priority goes first
  stays open in most plans: nobody could keep that apart, and repetitions find the same choice.
- A LimitRange for pods ends the updater, and spoils admission, where a container has no recommendation and another has
  one: upstream writes into a map that is not there (pkg/utils/vpa/capping.go, applyPodLimitRange). So such a LimitRange
  comes only where each container has a recommendation, or none has.

What plans never do, for the same reason, is not in the tables that they are drawn from: noise or lost metrics that make
pods differ whose peaks of memory the recommender remembers one by one, while the updater cannot tell them apart; pods
of one VPA with different labels, whose histograms are summed up in the order of a map; faults of events, which
client-go repeats after a random time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lockstep_conformance.plans.playing import Plan

_RATE = ("eviction_rate_limit", "eviction_rate_burst")


def comparable(plan: Plan) -> Plan:
    """The plan without what would strike what upstream leaves open."""
    if _may_lack_recommendations(plan):
        steps = [{**one, "bound": _for_containers(one["bound"])} if "bound" in one else one for one in plan["steps"]]
        plan = {**plan, "bounds": [_for_containers(one) for one in plan["bounds"]], "steps": steps}
    if len({name for name, _ in _specs(plan)}) > 1:
        updater = {name: value for name, value in plan["options"]["updater"].items() if name not in _RATE}
        plan = {**plan, "options": {**plan["options"], "updater": updater}}
    return plan


def _specs(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of VPAs, each with a spec, or a part of it, that it has at some time; "" is any of them."""
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
