"""Which pod is the first, the second ... of a selection, in canonical order. Computed again for each answer.

Only running pods count, since no others have metrics.
"""

from __future__ import annotations

from lockstep.metrics.edits import PodEdit
from lockstep.metrics.pods import Pods
from lockstep.metrics.views import PodView, Selection


class Positions:
    """The positions of one answer."""

    def __init__(self, pods: Pods) -> None:
        self._pods = pods
        self._found: dict[Selection, dict[str, int]] = {}

    def of(self, selection: Selection, pod: PodView) -> int:
        """The position of a running pod that the selection matches."""
        return self._positions(selection)[pod.uid]

    def concerns(self, edit: PodEdit, pod: PodView) -> bool:
        """Whether an edit applies to a running pod."""
        if not edit.selection.matches(pod):
            return False
        if edit.which is None:
            return True
        positions = self._positions(edit.selection)
        wanted = edit.which if edit.which >= 0 else len(positions) + edit.which
        return positions[pod.uid] == wanted

    def _positions(self, selection: Selection) -> dict[str, int]:
        found = self._found.get(selection)
        if found is None:
            ordered = self._pods.select(selection.namespace, selection.text, canonically=True)
            found = self._found[selection] = {pod.uid: position for position, pod in enumerate(ordered)}
        return found
