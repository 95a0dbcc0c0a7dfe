"""The pods of an HPA's target, and whether any other HPA scales them as well.

Source: pkg/controller/podautoscaler/horizontal.go, validateAndParseSelector and hpasControllingPodsUnderSelector.
"""

from __future__ import annotations

from lockstep.wire.meta import split_key
from lockstep.wire.selector_parser import parse
from lockstep.wire.selectors import InvalidSelector, Selector
from lockstep_reference.hpa.pod_lister import PodLister
from lockstep_reference.machinery.selector_map import SelectorMap
from lockstep_reference.machinery.store import Object


class BadSelector(Exception):
    """A selector that cannot be used: `event` is the reason of the event, whose text is that of the error."""

    def __init__(self, event: str, error: str, reason: str, message: str) -> None:
        super().__init__(error)
        self.event = event
        #: Reason and message of the condition.
        self.reason = reason
        self.message = message


class TargetPods:
    """Knows the selector of every HPA."""

    def __init__(self, pod_lister: PodLister) -> None:
        self._pod_lister = pod_lister
        self._selectors = SelectorMap()
        self._checked: dict[str, tuple[list[Object], int]] = {}

    def add(self, key: str) -> None:
        """An HPA appeared: it selects nothing until its target is known (enqueueHPA)."""
        if key not in self._selectors:
            self._selectors.put(key)

    def delete(self, key: str) -> None:
        """An HPA is gone (deleteHPA)."""
        self._selectors.delete(key)
        self._checked.pop(key, None)

    def validate_and_parse_selector(self, key: str, selector: str) -> Selector:
        """The selector of the HPA's target, which no other HPA shares. Raises BadSelector."""
        if not selector:
            message = "the HPA target's scale is missing a selector"
            raise BadSelector("SelectorRequired", "selector is required", "InvalidSelector", message)
        try:
            parsed = parse(selector)
        except InvalidSelector as error:
            text = f"couldn't convert selector into a corresponding internal selector object: {error}"
            raise BadSelector("InvalidSelector", text, "InvalidSelector", text) from error
        if key in self._selectors:
            self._selectors.put(key, parsed)
        self._check_unambiguous(key, selector, parsed)
        return parsed

    def _check_unambiguous(self, key: str, selector: str, parsed: Selector) -> None:
        """Pass again at once if neither the pods nor any selector have changed since the last time."""
        namespace = split_key(key)[0]
        pods = self._pod_lister.list(namespace, parsed)
        generation = self._selectors.generation
        known_pods, known_generation = self._checked.get(key, (None, -1))
        if known_pods is pods and known_generation == generation:
            return
        selecting = self._selectors.selecting(namespace, pods)
        if len(selecting) > 1:
            # Upstream names them in the order of a map.
            text = f"pods by selector {selector} are controlled by multiple HPAs: [{' '.join(selecting)}]"
            raise BadSelector("AmbiguousSelector", text, "AmbiguousSelector", text)
        self._checked[key] = (pods, generation)
