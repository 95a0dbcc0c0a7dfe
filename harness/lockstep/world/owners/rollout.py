"""How many replicas each ReplicaSet of a Deployment gets next: rolling update, recreation, scaling in proportion.

From pkg/controller/deployment: rolling.go, recreate.go, sync.go (scale) and util/deployment_util.go. Pure arithmetic on
objects in wire form.
"""

from __future__ import annotations

from math import floor
from typing import Any, NamedTuple

from lockstep.world.api import Object

DESIRED = "deployment.kubernetes.io/desired-replicas"
MAXIMUM = "deployment.kubernetes.io/max-replicas"


class Resize(NamedTuple):
    """A ReplicaSet and its new number of replicas."""

    set: Object
    replicas: int


class Rollout:
    """One Deployment with the ReplicaSet of its template (None if there is none yet) and the others."""

    def __init__(self, deployment: Object, new: Object | None, old: list[Object]) -> None:
        spec = deployment["spec"]
        self.new = new
        self.old = sorted(old, key=_age)
        self.replicas: int = spec["replicas"]
        self._status = deployment.get("status") or {}
        strategy = spec.get("strategy") or {}
        self.rolling = strategy.get("type") != "Recreate"
        rolling = strategy.get("rollingUpdate") or {}
        self._surge = _scaled(rolling.get("maxSurge", 0), self.replicas, up=True) if self.rolling else 0
        self._unavailable = self._most_unavailable(rolling.get("maxUnavailable", 0)) if self.rolling else 0

    @property
    def maximum(self) -> int:
        """How many pods there may be, all ReplicaSets together."""
        return self.replicas + self._surge

    @property
    def all(self) -> list[Object]:
        """Every ReplicaSet, oldest first, the new one last."""
        return [*self.old, *([] if self.new is None else [self.new])]

    def _most_unavailable(self, sent: Any) -> int:
        """ResolveFenceposts and MaxUnavailable: at least 1 if maxSurge is 0."""
        if not self.replicas:
            return 0
        count = _scaled(sent, self.replicas, up=False)
        return min(1 if not count and not self._surge else count, self.replicas)

    # -- scaling ------------------------------------------------------------------------------------------------------

    def is_scaling(self) -> bool:
        """isScalingEvent: a ReplicaSet was scaled for another size of the Deployment."""
        sized = (_annotation(one, DESIRED) for one in _active(self.all))
        return any(desired is not None and desired != self.replicas for desired in sized)

    def scaled(self) -> list[Resize]:
        """The new sizes of the existing ReplicaSets when the Deployment is scaled (`scale`)."""
        active = _active(self.all)
        if len(active) < 2:
            latest = active or self.all[-1:]  # the new one, or else the youngest
            return [Resize(one, self.replicas) for one in latest if size(one) != self.replicas]
        if self._saturated():
            return [Resize(one, 0) for one in _active(self.old)]
        return self._in_proportion(active) if self.rolling else []

    def _saturated(self) -> bool:
        new = self.new
        if new is None:
            return False
        return {size(new), _annotation(new, DESIRED), _count(new, "availableReplicas")} == {self.replicas}

    def _in_proportion(self, active: list[Object]) -> list[Resize]:
        add = (self.maximum if self.replicas else 0) - sum(map(size, active))
        newest_first = sorted(active, key=_age, reverse=add > 0)
        largest_first = sorted(newest_first, key=size, reverse=True)
        sizes, added = [], 0
        for one in largest_first:
            share = self._share(one, add - added) if add != added and size(one) else 0
            sizes.append(size(one) + share)
            added += share
        if add:
            sizes[0] = max(0, sizes[0] + add - added)
        return [Resize(one, wanted) for one, wanted in zip(largest_first, sizes, strict=True)]

    def _share(self, one: Object, allowed: int) -> int:
        """GetReplicaSetProportion, getReplicaSetFraction."""
        if not self.replicas:
            fraction = -size(one)
        else:
            before = _annotation(one, MAXIMUM) or self._status.get("replicas", 0)
            fraction = _rounded(size(one) * self.maximum / before) - size(one) if before else 0
        return min(fraction, allowed) if allowed > 0 else max(fraction, allowed)

    # -- rolling out --------------------------------------------------------------------------------------------------

    def first_size(self) -> int:
        """The size with which the new ReplicaSet is created (NewRSNewReplicas)."""
        return self._grown(0) if self.rolling else self.replicas

    def _grown(self, now: int) -> int:
        room = self.replicas + self._surge - sum(map(size, self.all))
        return now + min(room, self.replicas - now) if room > 0 else now

    def rolled(self) -> list[Resize]:
        """The next step of a rolling update: the new ReplicaSet grows, or else the old ones shrink."""
        new = self.new
        if new is None:
            return []
        if size(new) != self.replicas:
            wanted = self.replicas if size(new) > self.replicas else self._grown(size(new))
            if wanted != size(new):
                return [Resize(new, wanted)]
        return self._shrunk(new)

    def _shrunk(self, new: Object) -> list[Resize]:
        """reconcileOldReplicaSets: unhealthy pods first, then as many as availability allows, oldest first."""
        least = self.replicas - self._unavailable
        old = {one["metadata"]["name"]: size(one) for one in _active(self.old)}
        unavailable = size(new) - _count(new, "availableReplicas")
        room = sum(map(size, self.all)) - least - unavailable
        if not old or room <= 0:
            return []
        spare = sum(_count(one, "availableReplicas") for one in self.all) - least
        for one in _active(self.old):
            sick = min(room, max(0, size(one) - _count(one, "availableReplicas")))
            old[one["metadata"]["name"]] -= sick
            room -= sick
        for name, left in old.items():
            cut = max(0, min(left, spare))
            old[name] = left - cut
            spare -= cut
        sized = ((one, old[one["metadata"]["name"]]) for one in _active(self.old))
        return [Resize(one, wanted) for one, wanted in sized if wanted != size(one)]


def size(one: Object) -> int:
    """How many replicas a ReplicaSet wants."""
    return int(one["spec"].get("replicas", 0))


def _active(sets: list[Object]) -> list[Object]:
    return [one for one in sets if size(one)]


def _count(one: Object, name: str) -> int:
    return int((one.get("status") or {}).get(name, 0))


def _age(one: Object) -> tuple[str, str]:
    return one["metadata"].get("creationTimestamp", ""), one["metadata"]["name"]


def _annotation(one: Object, name: str) -> int | None:
    text = (one["metadata"].get("annotations") or {}).get(name, "")
    return int(text) if text.isdecimal() else None


def _scaled(sent: Any, total: int, *, up: bool) -> int:
    """GetScaledValueFromIntOrPercent."""
    if isinstance(sent, int):
        return sent
    percent = int(sent.removesuffix("%"))
    return -(-percent * total // 100) if up else percent * total // 100


def _rounded(value: float) -> int:
    """integer.RoundToInt32: half away from zero."""
    return floor(value + 0.5) if value >= 0 else -floor(-value + 0.5)
