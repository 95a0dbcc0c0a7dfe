"""The transcript of one run of a scenario: everything that went over the wire, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Step:
    """A request with its answer, or events that were read from a watch."""

    #: `METHOD target`, or `watch N` for events.
    title: str
    #: The body that was sent, if it was JSON; else the text.
    sent: Any = None
    #: 0 for events.
    code: int = 0
    #: The body of the answer, or the list of events.
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    #: The server's clock before the step.
    at: float = 0.0


@dataclass(slots=True)
class Transcript:
    """All steps of one run, and the names that were created for it: the literal text and its symbol."""

    steps: list[Step] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
