"""`/lockstep/store`: how much the server stores, and a way to make it forget old versions."""

from __future__ import annotations

from typing import Any

import orjson

from lockstep.apiserver import Reply
from lockstep.apiserver.errors import bad_request, method_not_allowed
from lockstep.serving.boxes import Outbox
from lockstep.serving.crossing import carried_out
from lockstep.serving.simulation import Simulation

PATH = "/lockstep/store"
_WANTED = 'send {"compact": true}'


class StoreApi:
    """Answers requests about the store."""

    def __init__(self, simulation: Simulation, outbox: Outbox) -> None:
        self._simulation = simulation
        self._outbox = outbox

    async def answer(self, method: str, body: bytes) -> Reply:
        """GET counts; POST forgets all versions but the current one: reading from others gives 410. Raises ApiError."""
        if method == "POST":
            if not _asks_to_compact(body):
                raise bad_request(_WANTED)
            await carried_out(self._simulation, self._outbox, self._simulation.server.compact)
        elif method != "GET":
            raise method_not_allowed()
        return Reply(200, await carried_out(self._simulation, self._outbox, self._counts))

    def _counts(self) -> dict[str, Any]:
        server = self._simulation.server
        collections = server.state.collections.values()
        return {
            "resourceVersion": str(server.resource_version),
            "objects": sum(len(one.items) for one in collections),
            "changes": sum(len(one.log) for one in collections),
            "watches": sum(one.watched for one in collections),
        }


def _asks_to_compact(body: bytes) -> bool:
    try:
        return bool(orjson.loads(body) == {"compact": True})
    except orjson.JSONDecodeError:
        return False
