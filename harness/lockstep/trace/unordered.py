"""Texts that depend on the order of a Go map, which differs from run to run.

The HPA controller names the HPAs that select the same pods in such an order (`validateAndParseSelector` in
pkg/controller/podautoscaler/horizontal.go). If several pods lack requests, or a container, it names the first that it
finds (`calculateRequests` in replica_calculator.go). The order decides whether client-go sees two equal events, and
counts them as one, or two different ones. So a trace has the list sorted, `(any)` in place of a pod whose name was
generated, and such events without their count.

The VPA's admission controller iterates over maps of resources: the order in which it patches them, and in which its
annotation `vpaUpdates` lists them, is unspecified (`CalculatePatches` in pkg/admission-controller/resource/pod/patch).
"""

from __future__ import annotations

import re
from typing import Any

_MARKS = ("multiple HPAs: [", " Pod ", "Pod resources updated by ")
_LIST = re.compile(r"(?<=are controlled by multiple HPAs: \[)[^\]]*")
#: For a text whose generated names are replaced by symbols, such as `web#1`.
_POD = re.compile(
    r"(missing request for \S+ in container \S+ of|missing pod-level request for \S+ in|not found in) Pod \S+#\d+"
)
_VARYING = re.compile(r"are controlled by multiple HPAs: \[| (?:of|in) Pod \(any\)")
_UPDATES = re.compile(r"(?<=container )(\d+: )([^;]*)")
COMBINED = "(combined from similar events): "


def varies(text: str) -> bool:
    """Whether the original of a text that `steady` returned varies from run to run."""
    return any(mark in text for mark in _MARKS) and _VARYING.search(text) is not None


def steady(text: str) -> str:
    """The text in the form that is equal in every run, whether or not client-go combined it with others that differ in
    the order.

    Generated names must have been replaced by symbols.
    """
    if not any(mark in text for mark in _MARKS):
        return text
    if text.startswith("Pod resources updated by "):
        return _UPDATES.sub(lambda found: found[1] + ", ".join(sorted(found[2].split(", "))), text)
    replaced = _LIST.sub(lambda found: " ".join(sorted(found[0].split(" "))), text)
    replaced = _POD.sub(r"\1 Pod (any)", replaced)
    return replaced.removeprefix(COMBINED) if varies(replaced) else replaced


def sorted_operations(patch: list[Any]) -> list[Any]:
    """The operations of a JSON patch by path; those on one path keep their order."""
    return sorted(patch, key=lambda one: str(one.get("path", "")) if isinstance(one, dict) else "")
