"""ResourceQuota: refuse writes that would exceed a quota, and keep every quota's usage up to date.

From apiserver/pkg/admission/plugin/resourcequota/controller.go and pkg/quota/v1/evaluator/core/pods.go. Upstream's
controller releases usage shortly after the object is gone; here it is released at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lockstep.apiserver.admission.limits import pod_amounts
from lockstep.apiserver.kinds import Kind
from lockstep.apiserver.state import Call, State
from lockstep.time.clock import SECOND, parse_rfc3339
from lockstep.wire.pods import is_finished
from lockstep.wire.quantity import DECIMAL_SI, Quantity, read_quantity

Usage = dict[str, Quantity]
_NONE, _ONE = Quantity(0, 0, DECIMAL_SI), Quantity(1, 0, DECIMAL_SI)
_COMPUTE = {"cpu": "requests.cpu", "memory": "requests.memory", "ephemeral-storage": "requests.ephemeral-storage"}
_COUNTED_BARE = frozenset(
    {"pods", "replicationcontrollers", "resourcequotas", "services", "secrets", "configmaps", "persistentvolumeclaims"}
)
_POD_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage"})


def _quotas(state: State, namespace: str) -> list[dict[str, Any]]:
    collection = state.collections.get("resourcequotas")
    if collection is None or not collection.items:
        return []
    return [item.object for item in collection.namespaces.get(namespace, {}).values()]


def _counts(state: State, pod: dict[str, Any]) -> bool:
    """QuotaV1Pod: neither terminal, nor past the end of its grace period."""
    if is_finished(pod):
        return False
    metadata = pod["metadata"]
    deleted, grace = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
    return deleted is None or grace is None or state.now() <= parse_rfc3339(deleted) + grace * SECOND


def usage_of(state: State, payload: dict[str, Any], kind: Kind) -> Usage:
    """The usage of one object."""
    usage: Usage = {f"count/{kind.resource}": _ONE}
    if not kind.group and kind.plural in _COUNTED_BARE and kind.plural != "pods":
        usage[kind.plural] = _ONE
    if kind.resource != "pods":
        return usage
    if not _counts(state, payload):
        return usage
    usage["pods"] = _ONE
    for side in ("requests", "limits"):
        for name, amount in pod_amounts(payload["spec"], side).items():
            if name in _POD_RESOURCES:
                usage[f"{side}.{name}"] = amount
                if side == "requests":
                    usage[name] = amount
            elif side == "requests":
                usage[f"requests.{name}"] = amount
    return usage


def _scopes_match(quota: dict[str, Any], pod: dict[str, Any], kind: Kind) -> bool:
    scopes = quota["spec"].get("scopes") or ()
    if scopes and kind.resource != "pods":
        return False
    for scope in scopes:
        terminating = pod["spec"].get("activeDeadlineSeconds") is not None
        best_effort = not any(
            (container.get("resources") or {}).get(side)
            for container in pod["spec"]["containers"]
            for side in ("requests", "limits")
        )
        if {
            "Terminating": not terminating,
            "NotTerminating": terminating,
            "BestEffort": not best_effort,
            "NotBestEffort": best_effort,
        }.get(scope, False):
            return False
    return True


def _listed(amounts: Iterable[tuple[str, str]]) -> str:
    return ",".join(f"{name}={amount}" for name, amount in sorted(amounts))


def _check_specified(call: Call, payload: dict[str, Any], quota: dict[str, Any], hard: dict[str, Any]) -> None:
    """PodEvaluator.Constraints: a quota on cpu or memory requires every container to declare its requests or limits."""
    wanted = [name for name in sorted(hard) if name in ("cpu", "memory") or name.startswith(("requests.", "limits."))]
    missing: dict[str, list[str]] = {}
    for container in [*(payload["spec"].get("containers") or ()), *(payload["spec"].get("initContainers") or ())]:
        resources = container.get("resources") or {}
        for name in wanted:
            side, _, resource = name.rpartition(".")
            if resource in ("cpu", "memory") and resource not in (resources.get(side or "requests") or {}):
                missing.setdefault(name, []).append(container.get("name", ""))
    if missing:
        text = "; ".join(f"{name} for: {','.join(names)}" for name, names in sorted(missing.items()))
        raise call.forbidden(
            payload["metadata"]["name"], f"failed quota: {quota['metadata']['name']}: must specify {text}"
        )


def admit(state: State, call: Call, payload: dict[str, Any], old: dict[str, Any] | None) -> None:
    """Raises ApiError 403 when a quota of the namespace has no room for the object, or for its increase."""
    if not call.kind.namespaced or call.subresource not in ("", "resize") or "resourcequotas" not in state.collections:
        return
    if old is not None and old.get("spec") == payload.get("spec"):
        return
    for quota in _quotas(state, call.namespace):
        if _scopes_match(quota, payload, call.kind):
            _admit_one(state, call, payload, old, quota)


def _admit_one(
    state: State, call: Call, payload: dict[str, Any], old: dict[str, Any] | None, quota: dict[str, Any]
) -> None:
    status = quota.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    if call.kind.resource == "pods" and old is None:
        _check_specified(call, payload, quota, hard)
    before = usage_of(state, old, call.kind) if old is not None else {}
    asked = _subtract(usage_of(state, payload, call.kind), before)
    over = [
        name
        for name, amount in asked.items()
        if name in hard and amount.sign > 0 and _used(used, name).plus(amount).compare(read_quantity(hard[name])) > 0
    ]
    if over:
        raise call.forbidden(
            payload["metadata"]["name"],
            (
                f"exceeded quota: {quota['metadata']['name']}, "
                f"requested: {_listed((name, str(asked[name])) for name in over)}, "
                f"used: {_listed((name, str(used.get(name, '0'))) for name in over)}, "
                f"limited: {_listed((name, str(hard[name])) for name in over)}"
            ),
        )


def _used(used: dict[str, Any], name: str) -> Quantity:
    return read_quantity(used.get(name, "0"))


def _subtract(usage: Usage, other: Usage) -> Usage:
    """The difference for each resource, without those that are equal (quota.Subtract)."""
    changes = {name: usage.get(name, _NONE).minus(other.get(name, _NONE)) for name in {**usage, **other}}
    return {name: change for name, change in changes.items() if change.sign}


# -- usage ------------------------------------------------------------------------------------------------------------


def after_write(state: State, kind: Kind, old: dict[str, Any] | None, new: dict[str, Any] | None) -> None:
    """Bring the namespace's quotas up to date after any write that may concern them."""
    payload = new if new is not None else old
    if payload is None or not kind.namespaced or "resourcequotas" not in state.collections:
        return
    namespace = payload["metadata"]["namespace"]
    if kind.resource == "resourcequotas":
        if new is not None and (old is None or old["spec"] != new["spec"]):
            _recount(state, kind, new)
        return
    quotas = _quotas(state, namespace)
    if not quotas:
        return
    quota_kind = state.registry.of_resource("resourcequotas")
    assert quota_kind is not None
    after = usage_of(state, new, kind) if new is not None else {}
    before = usage_of(state, old, kind) if old is not None else {}
    changes = _subtract(after, before)
    if not changes:
        return
    for quota in quotas:
        if _scopes_match(quota, payload, kind):
            _adjust(state, quota_kind, quota, changes)


def _adjust(state: State, quota_kind: Kind, quota: dict[str, Any], changes: Usage) -> None:
    status = quota.get("status") or {}
    hard, used = status.get("hard") or {}, dict(status.get("used") or {})
    for name in hard:
        if name in changes:
            used[name] = str(_used(used, name).plus(changes[name]))
    if used != status.get("used"):
        _store(state, quota_kind, quota, hard, used)


def _recount(state: State, quota_kind: Kind, quota: dict[str, Any]) -> None:
    """Count everything in the namespace: for a new quota, or one with other limits."""
    hard = quota["spec"].get("hard") or {}
    totals: Usage = {}
    for kind in state.registry:
        if kind.stored_as or not kind.namespaced or kind.collection not in state.collections:
            continue
        for stored in state.collections[kind.collection].namespaces.get(quota["metadata"]["namespace"], {}).values():
            if _scopes_match(quota, stored.object, kind):
                for name, amount in usage_of(state, stored.object, kind).items():
                    totals[name] = totals.get(name, _NONE).plus(amount)
    used = {name: str(totals.get(name, _NONE)) for name in hard}
    _store(state, quota_kind, quota, hard, used)


def _store(state: State, quota_kind: Kind, quota: dict[str, Any], hard: dict[str, Any], used: dict[str, Any]) -> None:
    metadata = dict(quota["metadata"])
    state.put(
        quota_kind,
        metadata["namespace"],
        metadata["name"],
        {**quota, "metadata": metadata, "status": {"hard": dict(hard), "used": used}},
    )
