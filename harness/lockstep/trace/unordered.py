"""Texts that tell of the order of a Go map, which differs from run to run.

The HPA controller names the HPAs that select the same pods in such an order (`validateAndParseSelector` in
pkg/controller/podautoscaler/horizontal.go). Where pods request nothing, or lack a container, it names the first one
that it comes upon (`calculateRequests` in replica_calculator.go). Which order it takes decides whether client-go sees
two equal events, and counts one of them, or two different ones. So a trace holds the list sorted, `(any)` instead of a
pod whose name was generated, and such events without their count.

The VPA's admission controller goes through maps of resources: the order in which it patches them, and in which its
annotation `vpaUpdates` lists them, is open (`CalculatePatches` in pkg/admission-controller/resource/pod/patch).
"""

from __future__ import annotations

import re
from typing import Any

_MARKS = ("multiple HPAs: [", " Pod ", "Pod resources updated by ")
_LIST = re.compile(r"(?<=are controlled by multiple HPAs: \[)[^\]]*")
#: In a text in which generated names are symbols already, such as `web#1`.
_POD = re.compile(
    r"(missing request for \S+ in container \S+ of|missing pod-level request for \S+ in|not found in) Pod \S+#\d+"
)
_VARYING = re.compile(r"are controlled by multiple HPAs: \[| (?:of|in) Pod \(any\)")
_UPDATES = re.compile(r"(?<=container )(\d+: )([^;]*)")
COMBINED = "(combined from similar events): "


def varies(text: str) -> bool:
    """Whether a text that is steady now would vary from run to run."""
    return any(mark in text for mark in _MARKS) and _VARYING.search(text) is not None


def steady(text: str) -> str:
    """The text as it is in every run, whether or not client-go combined it with others that differ in the order.

    Generated names must be symbols already.
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
