"""`/lockstep/pods`: usage and lifecycles of pods, which can be changed while the cluster is served."""

from __future__ import annotations

from lockstep.apiserver import Reply
from lockstep.apiserver.errors import bad_request, method_not_allowed
from lockstep.serving import ServeError
from lockstep.serving.bodies import parse_body
from lockstep.serving.boxes import Outbox
from lockstep.serving.crossing import carried_out
from lockstep.serving.pods import Object
from lockstep.serving.simulation import Simulation

PATH = "/lockstep/pods"


class PodsApi:
    """Answers requests about the behaviour of pods."""

    def __init__(self, simulation: Simulation, outbox: Outbox) -> None:
        self._simulation = simulation
        self._outbox = outbox

    async def answer(self, method: str, body: bytes, content_type: str) -> Reply:
        """GET returns the current document, PUT replaces it. Raises ApiError 400 or 405."""
        if method == "PUT":
            media = content_type if content_type.startswith("application/json") else "application/yaml"
            await self._apply(parse_body(body, media)[0])
        elif method != "GET":
            raise method_not_allowed()
        return Reply(200, self._simulation.behaviour.document)

    async def _apply(self, document: Object) -> None:
        behaviour = self._simulation.behaviour
        try:
            await carried_out(self._simulation, self._outbox, lambda: behaviour.apply(document))
        except ServeError as error:
            raise bad_request(str(error)) from None
