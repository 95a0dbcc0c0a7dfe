"""Writing the new number of replicas to the target (horizontal.go, reconcileAutoscaler; client-go util/retry)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from lockstep_reference.machinery.client import ApiError
from lockstep_reference.machinery.errors import is_conflict
from lockstep_reference.machinery.scale import Scale, ScaleClient, ScaleError

#: Errors of reading or writing a scale.
SCALE_ERRORS = (ApiError, OSError, ScaleError)
# retry.DefaultRetry: attempts on conflict, seconds between them, and the share of that which is added as jitter.
_STEPS = 5
_WAIT = 0.01
_JITTER = 0.1


class Rescaler:
    """Updates scales, and retries on a conflict."""

    def __init__(self, scales: ScaleClient, rng: random.Random, on_error: Callable[[str], None]) -> None:
        self._scales = scales
        self._rng = rng
        self._on_error = on_error

    async def update(
        self, group: str, resource: str, namespace: str, name: str, scale: Scale, replicas: int, reference: str
    ) -> None:
        """Set the number of replicas; `name` is the target's, `scale` is what was read. Raises SCALE_ERRORS."""
        for step in range(1, _STEPS + 1):
            try:
                await self._scales.update(group, resource, namespace, scale._replace(spec_replicas=replicas))
            except SCALE_ERRORS as error:
                # After any error the scale is read again, even if there is no further attempt.
                try:
                    scale = await self._scales.get(group, resource, namespace, name)
                except SCALE_ERRORS as second:
                    self._on_error(f"error getting latest scale for {reference} during conflict retry: {second}")
                if step == _STEPS or not is_conflict(error):
                    raise
            else:
                return
            await asyncio.sleep(_WAIT * (1 + self._rng.random() * _JITTER))
