"""Which pods to delete first: the eight criteria of ActivePodsWithRanks.

Source: pkg/controller/controller_utils.go, ActivePodsWithRanks.Less; pkg/controller/replicaset/replica_set.go,
getPodsToDelete and getPodsRankedByRelatedPodsOnSameNode. The feature gates PodDeletionCost and LogarithmicScaleDown are
on, as they are by default.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence

from lockstep_reference.replicaset.logarithm import go_log2
from lockstep_reference.replicaset.pod import Pod

_POD_PHASE_TO_ORDINAL = {"Pending": 0, "Unknown": 1, "Running": 2}


class ActivePodsWithRanks:
    """Pods with the number of active related pods on the same node (their rank), ordered at the instant `now`.

    Two pods whose ages fall into the same power of two count as equally old, and their UIDs decide. That makes `less`
    intransitive in rare cases (upstream's too); this, and equal pods, is why the order of the input can matter.
    """

    def __init__(self, pods: Sequence[Pod], ranks: Sequence[int], now: int) -> None:
        self.pods = list(pods)
        self.ranks = list(ranks)
        self.now = now

    def sorted(self) -> list[Pod]:
        """The pods, those to delete first in front. The sort is stable; upstream's orders ties at random."""
        order = sorted(range(len(self.pods)), key=functools.cmp_to_key(self._compare))
        return [self.pods[index] for index in order]

    def _compare(self, i: int, j: int) -> int:
        # Sorting only uses "less than", so the opposite comparison is not needed.
        return -1 if self.less(i, j) else 0

    def less(self, i: int, j: int) -> bool:  # noqa: PLR0911 - one return for each criterion
        """Whether pod number `i` should be deleted before pod number `j`."""
        a, b = self.pods[i], self.pods[j]
        # 1. Unassigned before assigned to a node.
        if bool(a.node_name) != bool(b.node_name):
            return not a.node_name
        # 2. Pending before unknown before running; any other phase counts as pending.
        phase_a, phase_b = _POD_PHASE_TO_ORDINAL.get(a.phase, 0), _POD_PHASE_TO_ORDINAL.get(b.phase, 0)
        if phase_a != phase_b:
            return phase_a < phase_b
        # 3. Not ready before ready.
        if a.ready != b.ready:
            return not a.ready
        # 4. Lower deletion cost before higher.
        if a.deletion_cost != b.deletion_cost:
            return a.deletion_cost < b.deletion_cost
        # 5. More related pods on the same node before fewer.
        if self.ranks[i] != self.ranks[j]:
            return self.ranks[i] > self.ranks[j]
        # 6. Ready for an unknown time before a shorter before a longer time.
        if a.ready and b.ready and a.ready_time != b.ready_time:
            return self._younger(a, a.ready_time, b, b.ready_time)
        # 7. More container restarts before fewer; at a tie more sidecar restarts.
        if a.restarts != b.restarts:
            return a.restarts > b.restarts
        # 8. No creation time before newer before older.
        if a.creation_time != b.creation_time:
            return self._younger(a, a.creation_time, b, b.creation_time)
        return False

    def _younger(self, a: Pod, time_a: int | None, b: Pod, time_b: int | None) -> bool:
        """Whether `a` is younger than `b` on a logarithmic scale, the UID deciding within one power of two."""
        if time_a is None or time_b is None:
            return time_a is None
        rank_a, rank_b = logarithmic_rank(self.now - time_a), logarithmic_rank(self.now - time_b)
        return a.uid < b.uid if rank_a == rank_b else rank_a < rank_b


@functools.lru_cache(maxsize=4096)
def logarithmic_rank(age: int) -> int:
    """The whole part of the base-2 logarithm of an age in nanoseconds; -1 for no age or a time in the future."""
    return int(go_log2(float(age))) if age > 0 else -1


def get_pods_to_delete(filtered_pods: list[Pod], related_pods: list[Pod], diff: int, now: int) -> list[Pod]:
    """The `diff` pods to delete first. If all must be deleted, all are returned in their order."""
    if diff < len(filtered_pods):
        filtered_pods = get_pods_ranked_by_related_pods_on_same_node(filtered_pods, related_pods, now).sorted()
    return filtered_pods[:diff]


def get_pods_ranked_by_related_pods_on_same_node(
    pods_to_rank: Sequence[Pod], related_pods: Iterable[Pod], now: int
) -> ActivePodsWithRanks:
    """Rank each pod by how many active related pods its node holds.

    `related_pods` should contain `pods_to_rank`. Pods without a node count as being together on one further node.
    """
    pods_on_node = Counter(pod.node_name for pod in related_pods if pod.active)
    return ActivePodsWithRanks(pods_to_rank, [pods_on_node[pod.node_name] for pod in pods_to_rank], now)
