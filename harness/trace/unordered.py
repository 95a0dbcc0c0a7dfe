"""Texts that tell of the order of a Go map, which differs from run to run.

The HPA controller names the HPAs that select the same pods in such an order (`validateAndParseSelector` in
pkg/controller/podautoscaler/horizontal.go). Where pods request nothing, or lack a container, it names the first one
that it comes upon (`calculateRequests` in replica_calculator.go). Which order it takes decides whether client-go sees
two equal events, and counts one of them, or two different ones. So a trace holds the list sorted, `(any)` instead of a
pod whose name was generated, and such events without their count.
"""

from __future__ import annotations

import re

_MARKS = ("multiple HPAs: [", " Pod ")
_LIST = re.compile(r"(?<=are controlled by multiple HPAs: \[)[^\]]*")
#: In a text in which generated names are symbols already, such as `web#1`.
_POD = re.compile(
    r"(missing request for \S+ in container \S+ of|missing pod-level request for \S+ in|not found in) Pod \S+#\d+"
)
_VARYING = re.compile(r"are controlled by multiple HPAs: \[| (?:of|in) Pod \(any\)")
_COMBINED = "(combined from similar events): "


def varies(text: str) -> bool:
    """Whether a text that is steady now would vary from run to run."""
    return any(mark in text for mark in _MARKS) and _VARYING.search(text) is not None


def steady(text: str) -> str:
    """The text as it is in every run, whether or not client-go combined it with others that differ in the order.

    Generated names must be symbols already.
    """
    if not any(mark in text for mark in _MARKS):
        return text
    replaced = _LIST.sub(lambda found: " ".join(sorted(found[0].split(" "))), text)
    replaced = _POD.sub(r"\1 Pod (any)", replaced)
    return replaced.removeprefix(_COMBINED) if varies(replaced) else replaced
