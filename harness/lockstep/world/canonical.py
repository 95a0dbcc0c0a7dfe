"""Choosing among pods by their observable state, never by their random names.

Which of several equal pods a controller deletes is not specified: upstream leaves it to the order of a Go map. A
scenario that then acts on "one of the pods" must mean the same pod, up to renaming, in every run. So pods are ordered
by their observable state, then by the pods on the same node (the deletion ranking counts those). Only pods that are
equal in both are ordered by uid. The uid, because uids ascend in the order of creation and upstream's ranking breaks
ties with them (`ActivePodsWithRanks.Less`); a name's suffix is random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.apiserver.sharing import ByIdentity
from lockstep.wire.pods import DELETION_COST, ready_since
from lockstep.world.api import Object

StateKey = tuple[Any, ...]


def _state_key(pod: Object) -> StateKey:
    meta, status = pod["metadata"], pod.get("status", {})
    since = ready_since(pod)
    statuses = [*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())]
    return (
        bool(pod["spec"].get("nodeName")),
        status.get("phase", ""),
        "" if since is None else since or "?",
        tuple([one.get("restartCount", 0) for one in statuses]),
        meta.get("creationTimestamp") or "",
        meta.get("deletionTimestamp") or "",
        meta.get("generation", 0),  # one that was resized differs from one that was not
        (meta.get("annotations") or {}).get(DELETION_COST, ""),
        tuple(sorted((meta.get("labels") or {}).items())),
    )


#: What a controller can tell pods apart by: placement, phase, readiness, restarts, age, labels. Computed once for each
#: version of a pod, because most pods do not change between two choices.
state_key: ByIdentity[StateKey] = ByIdentity(_state_key, limit=2048)


def rank_nodes(pods_of: Mapping[str, Iterable[Object]]) -> dict[str, int]:
    """Number nodes by the pods on them, fewest first. Nodes with indistinguishable pods get the same number."""
    return _rank({node: list(map(state_key, pods)) for node, pods in pods_of.items()})


def _rank(keys_of: Mapping[str, list[StateKey]]) -> dict[str, int]:
    contents = {node: sorted(keys) for node, keys in keys_of.items()}
    ranks: dict[str, int] = {}
    rank, previous = -1, None
    for node in sorted(contents, key=lambda name: (len(contents[name]), contents[name])):
        if contents[node] != previous:
            rank, previous = rank + 1, contents[node]
        ranks[node] = rank
    return ranks


def canonical_order(pods: Iterable[Object]) -> list[Object]:
    """`pods` in the canonical order (see the module docstring)."""
    keyed = [(state_key(pod), pod["spec"].get("nodeName", ""), pod["metadata"]["uid"], pod) for pod in pods]
    keys_of: dict[str, list[StateKey]] = {}
    for key, node, _, _ in keyed:
        keys_of.setdefault(node, []).append(key)
    ranks = _rank(keys_of)
    keyed.sort(key=lambda one: (one[0], ranks[one[1]], one[2]))
    return [pod for _, _, _, pod in keyed]


def pick(pods: Iterable[Object], k: int = 0) -> Object:
    """The `k`-th of `pods` in the canonical order; negative counts from the end. Raises IndexError."""
    ordered = canonical_order(pods)
    if not -len(ordered) <= k < len(ordered):
        raise IndexError(f"cannot pick pod {k} of {len(ordered)}: choose among the pods that exist")
    return ordered[k]
