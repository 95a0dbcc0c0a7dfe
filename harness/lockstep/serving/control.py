"""`/lockstep/...`: what a client can read and change in the simulation itself."""

from __future__ import annotations

from lockstep.apiserver import Reply
from lockstep.apiserver.errors import unknown_path
from lockstep.serving import clock_api, pods_api, store_api
from lockstep.serving.boxes import Outbox
from lockstep.serving.simulation import Simulation

ROOT = "/lockstep/"


class Control:
    """Answers requests for our own paths."""

    def __init__(self, simulation: Simulation, outbox: Outbox) -> None:
        self._clock = clock_api.ClockApi(simulation, outbox)
        self._pods = pods_api.PodsApi(simulation, outbox)
        self._store = store_api.StoreApi(simulation, outbox)

    async def answer(self, method: str, path: str, body: bytes, content_type: str) -> Reply:
        """The reply. Raises ApiError."""
        place = path.rstrip("/")
        if place == clock_api.PATH:
            return await self._clock.answer(method, body)
        if place == pods_api.PATH:
            return await self._pods.answer(method, body, content_type)
        if place == store_api.PATH:
            return await self._store.answer(method, body)
        raise unknown_path()
