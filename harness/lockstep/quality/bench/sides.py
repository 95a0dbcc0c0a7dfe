"""The two implementations that a benchmark compares, opened when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lockstep.implementations.registry import open_implementation
from lockstep.runs.config import RunConfig
from lockstep.time.python_gc import rarely_collected

if TYPE_CHECKING:
    from lockstep.implementations import Implementation


class Sides:
    """Context manager over the open implementations. `progress` gets lines about what is being done."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self.progress = progress
        self._held = ExitStack()
        self._open: dict[str, Implementation] = {}

    @property
    def reference(self) -> Implementation:
        """The Python reference."""
        return self._get("reference")

    @property
    def upstream(self) -> Implementation:
        """Upstream of the default release. Raises BuildFailed if it cannot be built."""
        return self._get("upstream")

    @property
    def both(self) -> list[Implementation]:
        """The reference, then upstream."""
        return [self.reference, self.upstream]

    def _get(self, spec: str) -> Implementation:
        if spec not in self._open:
            side = self._open[spec] = open_implementation(spec, RunConfig().release, self.progress)
            self._held.callback(side.close)
        return self._open[spec]

    def __enter__(self) -> Self:
        self._held.enter_context(rarely_collected())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._held.close()
