"""Texts in which upstream lists the keys of a Go map, in an order that differs from run to run.

The HPA controller names the HPAs that select the same pods so (`validateAndParseSelector` in
pkg/controller/podautoscaler/horizontal.go). Which order it takes decides whether client-go sees two equal events, and
counts one of them, or two different ones. So a trace holds the list sorted, and such events without their count.
"""

from __future__ import annotations

import re

_MARK = "are controlled by multiple HPAs: ["
_LIST = re.compile(r"(?<=are controlled by multiple HPAs: \[)[^\]]*")
_COMBINED = "(combined from similar events): "


def varies(text: str) -> bool:
    """Whether the text holds such a list."""
    return _MARK in text


def sorted_lists(text: str) -> str:
    """The text with such lists sorted, whether or not client-go combined it with others that differ in the order."""
    return _LIST.sub(lambda found: " ".join(sorted(found[0].split(" "))), text.removeprefix(_COMBINED))
