"""The HorizontalPodAutoscalers of a run, and what they scale, replayed write by write from a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lockstep.wire.meta import uid

if TYPE_CHECKING:
    from lockstep.trace.history import Write

Object = dict[str, Any]
_Target = tuple[str, str, str, str]  # (group, kind, namespace, name)

AUTOSCALERS: Final = "horizontalpodautoscalers.autoscaling"


class Autoscalers:
    """The state after the writes applied so far. Objects are shared with the history: never change them."""

    def __init__(self) -> None:
        self._targets: dict[str, _Target] = {}  # by the uid of the HPA
        self._by_target: dict[_Target, dict[str, Object]] = {}

    def apply(self, write: Write) -> None:
        """Apply a successful write of an HPA."""
        identity = uid(write.after or write.before or {})
        old = self._targets.pop(identity, None)
        if old is not None:
            del self._by_target[old][identity]
        if write.after is not None:
            target = _target_of(write.after)
            self._targets[identity] = target
            self._by_target.setdefault(target, {})[identity] = write.after

    def of(self, target: Object) -> list[Object]:
        """The HPAs that scale this object. They may write its kind in lower case (restmapper/discovery.go)."""
        metadata = target.get("metadata") or {}
        group, kind = _group(target.get("apiVersion")), str(target.get("kind", ""))
        place = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        spellings = dict.fromkeys((kind, kind.lower()))
        return [one for spelt in spellings for one in self._by_target.get((group, spelt, *place), {}).values()]


def replicas_of(scalable: Object) -> int:
    """`spec.replicas` of what an HPA scales, as its scale subresource shows it: 0 if it is absent."""
    return int((scalable.get("spec") or {}).get("replicas") or 0)


def bounds_of(autoscaler: Object) -> tuple[int, int]:
    """`minReplicas`, 1 unless it is set, and `maxReplicas`."""
    spec = autoscaler.get("spec") or {}
    lowest = spec.get("minReplicas")
    return 1 if lowest is None else int(lowest), int(spec.get("maxReplicas") or 0)


def _target_of(autoscaler: Object) -> _Target:
    reference = (autoscaler.get("spec") or {}).get("scaleTargetRef") or {}
    namespace = str((autoscaler.get("metadata") or {}).get("namespace", ""))
    group = _group(reference.get("apiVersion"))
    return group, str(reference.get("kind", "")), namespace, str(reference.get("name", ""))


def _group(api_version: Any) -> str:
    group, slash, _ = str(api_version or "").partition("/")
    return group if slash else ""
