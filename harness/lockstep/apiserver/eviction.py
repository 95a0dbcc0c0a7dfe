"""pods/eviction: a deletion that respects disruption budgets (registry/core/pod/storage/eviction.go)."""

from __future__ import annotations

from typing import Any

from lockstep.apiserver import errors
from lockstep.apiserver.budgets import BUDGETS, SYNC_FAILED, allowed_condition, with_verdict
from lockstep.apiserver.conditions import set_condition
from lockstep.apiserver.delete import DeleteOptions, delete_object, parse_options
from lockstep.apiserver.intake import check_part
from lockstep.apiserver.messages import Reply
from lockstep.apiserver.state import Call, State
from lockstep.apiserver.stored import Stored
from lockstep.apiserver.update import store_next
from lockstep.wire.meta import is_terminating
from lockstep.wire.pods import is_ready
from lockstep.wire.selectors import selects

_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
_SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
_MOST_DISRUPTED = 2000


def evict(state: State, call: Call) -> Reply:
    """POST pods/NAME/eviction. Raises ApiError 429 when a budget forbids it."""
    body = call.request.body
    check_part(body, "Eviction")
    if (body.get("metadata") or {}).get("name") != call.name:
        raise errors.bad_request("name in URL does not match name in Eviction object")
    options = parse_options(call, body.get("deleteOptions"))
    stored = call.existing()
    call.before = stored.object
    if not _budget_ignored(stored.object):
        _respect_budgets(state, call, stored.object)
    _delete(state, call, stored, options)
    return Reply(201, dict(_SUCCESS))


def _budget_ignored(pod: dict[str, Any]) -> bool:
    """canIgnorePDB: pods that do not count as healthy for any budget."""
    phase = (pod.get("status") or {}).get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or is_terminating(pod)


def _respect_budgets(state: State, call: Call, pod: dict[str, Any]) -> None:
    labels = pod["metadata"].get("labels") or {}
    budgets = [
        item
        for item in state.collection(BUDGETS).namespaces.get(call.namespace, {}).values()
        if selects(item.object["spec"].get("selector"), labels)
    ]
    if len(budgets) > 1:
        raise errors.ApiError(
            500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
    if not budgets:
        return
    budget = budgets[0].object
    status = budget.get("status") or {}
    if not is_ready(pod):
        healthy, desired = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
        if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow" or healthy >= desired > 0:
            return
    _check_and_decrement(state, call, budgets[0], status)


def _check_and_decrement(state: State, call: Call, stored: Stored, status: dict[str, Any]) -> None:
    budget = stored.object
    name = budget["metadata"]["name"]
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        raise errors.too_many_requests(_REFUSED, 10).with_cause(
            "DisruptionBudget", f"The disruption budget {name} is still being processed by the server."
        )
    allowed = status.get("disruptionsAllowed", 0)
    if allowed < 0:
        raise errors.forbidden("policy", "poddisruptionbudget", name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or ()) > _MOST_DISRUPTED:
        raise errors.forbidden(
            "policy",
            "poddisruptionbudget",
            name,
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        )
    if allowed == 0:
        raise errors.too_many_requests(_REFUSED, 0).with_cause("DisruptionBudget", _why_not(name, status))
    if call.dry_run:
        return
    fresh = {
        **status,
        "disruptionsAllowed": allowed - 1,
        "disruptedPods": {**(status.get("disruptedPods") or {}), call.name: state.timestamp()},
    }
    if allowed == 1:
        fresh = with_verdict(fresh, state.timestamp())
    kind = state.registry.of_resource(BUDGETS)
    assert kind is not None
    state.put(kind, call.namespace, name, {**budget, "metadata": dict(budget["metadata"]), "status": fresh})


def _why_not(name: str, status: dict[str, Any]) -> str:
    condition = allowed_condition(status)
    said = condition.get("message", "") if condition.get("status") == "False" else ""
    desired, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    if said and condition.get("reason") == SYNC_FAILED:
        return f"The disruption budget {name} does not allow evicting pods currently because it failed sync: {said}"
    if healthy <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
    if said:
        return (
            f"The disruption budget {name} does not allow evicting pods currently ({condition.get('reason')}): {said}"
        )
    return f"The disruption budget {name} does not allow evicting pods currently"


def _delete(state: State, call: Call, stored: Stored, options: DeleteOptions) -> None:
    """AddConditionAndDeletePod."""
    pod = stored.object
    if not call.dry_run:
        _check_preconditions(call, pod["metadata"], options)
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        }
        status = set_condition(pod.get("status") or {}, condition, state.timestamp())
        marked = store_next(state, call, stored, {**pod, "metadata": dict(pod["metadata"]), "status": status})
        if options.version == pod["metadata"]["resourceVersion"]:
            options.version = marked.object["metadata"]["resourceVersion"]
        stored = marked
    delete_object(state, call, stored, options)
    call.before = pod


def _check_preconditions(call: Call, metadata: dict[str, Any], options: DeleteOptions) -> None:
    """Checked before the condition is written; the deletion itself has other messages. Raises ApiError 409."""
    uid, version = metadata["uid"], metadata["resourceVersion"]
    why = ""
    if options.uid and options.uid != uid:
        why = f"the UID in the precondition ({options.uid}) does not match the UID in record ({uid}). The object might "
        why += "have been deleted and then recreated"
    elif options.version and options.version != version:
        why = f"the ResourceVersion in the precondition ({options.version}) does not match the ResourceVersion in "
        why += f"record ({version}). The object might have been modified"
    if why:
        raise errors.conflict("", "Pod", call.name, why)
