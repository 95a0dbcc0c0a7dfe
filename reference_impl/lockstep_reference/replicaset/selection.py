"""What the selector and the template of a ReplicaSet say of pods, worked out once for as long as its spec stays.

Source: pkg/controller/replicaset/replica_set.go, syncReplicaSet; replica_set_utils.go, calculateStatus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.wire import selectors


@dataclass(frozen=True, slots=True)
class Selection:
    """`matches`: the selector selects a pod with these labels; `fully_labeled`: it has all labels of the template."""

    matches: selectors.Matcher
    fully_labeled: selectors.Matcher


class Selections:
    """The selections of ReplicaSets by key ("namespace/name"), until `forget`."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[dict[str, Any], Selection]] = {}

    def of(self, key: str, rs: dict[str, Any]) -> Selection:
        """Raises InvalidSelector. Versions of an object that have the same spec share one object for it."""
        spec: dict[str, Any] = rs["spec"]
        known = self._known.get(key)
        if known is not None and known[0] is spec:
            return known[1]
        selector = selectors.selector_from(spec.get("selector"))
        selection = Selection(selectors.Matcher(selector), selectors.Matcher(template_selector(spec)))
        self._known[key] = (spec, selection)
        return selection

    def forget(self, key: str) -> None:
        """The ReplicaSet is gone."""
        self._known.pop(key, None)


def template_selector(spec: dict[str, Any]) -> selectors.Selector:
    """Selects the pods that carry all labels of the template; an empty set of labels selects every pod.

    The labels are not validated (apimachinery pkg/labels, Set.AsSelectorPreValidated).
    """
    metadata = (spec.get("template") or {}).get("metadata") or {}
    template_labels = metadata.get("labels") or {}
    return selectors.Selector(
        tuple(selectors.Requirement(key, "=", (value,)) for key, value in template_labels.items())
    )
