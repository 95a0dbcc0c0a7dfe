"""Calls into the controllers of a bubble, which a listening controller answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class CallOutcome:
    """The outcome of a call: a status and a body; or `reason`, "refused" or "eof", if there is no answer."""

    __slots__ = ("body", "reason", "status")

    def __init__(self, status: int = 0, body: bytes = b"", reason: str = "") -> None:
        self.status = status
        self.body = body
        self.reason = reason


OnOutcome = Callable[[CallOutcome], None]


@dataclass(frozen=True, slots=True)
class _Open:
    controller: str
    on_outcome: OnOutcome


class OpenCalls:
    """The calls in flight of one run. Each gets its outcome once, unless it was cancelled."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._last = 0

    def begin(
        self,
        controller: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        on_outcome: OnOutcome,
    ) -> tuple[dict[str, Any], int]:
        """The item that makes the call, and the call's id."""
        self._last += 1
        self._open[self._last] = _Open(controller, on_outcome)
        item = {
            "op": "call",
            "id": self._last,
            "name": controller,
            "method": method,
            "path": path,
            "headers": dict(headers),
            "length": len(body),
        }
        return item, self._last

    def conclude(self, frame: Mapping[str, Any], body: bytes) -> None:
        """Handle the frame that ends a call."""
        call = self._open.pop(frame["id"], None)
        if call is not None:
            call.on_outcome(CallOutcome(frame.get("status", 0), body, frame.get("reason", "")))

    def take_back(self, call_id: int) -> bool:
        """Cancel a call. False if it is over already."""
        return self._open.pop(call_id, None) is not None

    def crash(self, controller: str) -> None:
        """Break the calls to a controller that crashed."""
        for call_id, call in list(self._open.items()):
            if call.controller == controller:
                del self._open[call_id]
                call.on_outcome(CallOutcome(reason="eof"))

    def forget(self) -> None:
        """Drop all calls, because the run is over."""
        self._open.clear()
