"""The webhooks of all tenants, as one server that a real API server calls.

It passes each review to the tenant whose webhook is called, and so through that tenant's network: a review meets the
same faults as in memory, and then the controller that answers it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import orjson
from aiohttp import web

from lockstep.apiserver.webhooks.reviews import Outcome
from lockstep.clusters.real.connection import Connection
from lockstep.clusters.real.tenant_server import TenantServer
from lockstep.clusters.real.trust import Trust
from lockstep.clusters.real.webhook_names import Door, decoded
from lockstep.serving.incoming import LARGEST_BODY

#: The first minor version of Kubernetes 1 whose webhooks always have match conditions, which tenants need.
_FIRST = 30
#: The default timeout of a webhook, in seconds.
_TIMEOUT = 10
_SECONDS = re.compile(r"(\d+)s")


class Consulted(Protocol):
    """A tenant, as this server sees it."""

    def consult(
        self, review: bytes, client: Mapping[str, Any], timeout: int, answer: Callable[[Outcome], None]
    ) -> None:
        """Any thread: pass a review, as received, to the tenant's webhook with this clientConfig.

        `answer` is called on the tenant's thread, within `timeout` seconds.
        """


class WebhookServer(TenantServer[Consulted]):
    """Listens on `host`, which the cluster reaches by that address. `loop` is that of the thread on which it serves."""

    def __init__(self, loop: asyncio.AbstractEventLoop, host: str) -> None:
        super().__init__(loop, host)
        #: Where the cluster calls us while we serve.
        self.door: Door | None = None

    def start(self, connection: Connection) -> None:
        """Serve, if the cluster can keep the webhooks of tenants apart. Raises ClusterError."""
        if keeps_apart(connection):
            trust = Trust(self._host)
            port = self._listen(web.Application(client_max_size=LARGEST_BODY), "POST", self._handle, trust)
            self.door = Door(f"https://{self._host}:{port}", trust.bundle)

    def stop(self) -> None:
        """Stop serving."""
        self.door = None
        super().stop()

    async def _handle(self, http: web.Request) -> web.Response:
        try:
            prefix, client = decoded(http.path)
            tenant = self._tenants[prefix]
        except (ValueError, KeyError):
            return web.Response(status=404)
        given = _SECONDS.fullmatch(http.query.get("timeout", ""))
        timeout = int(given[1]) if given else _TIMEOUT
        review = await http.read()
        outcome: Outcome = await self._answered(
            lambda answer: tenant.consult(review, client, timeout, answer), timeout + 1
        )
        if outcome.broken and http.transport is not None:
            http.transport.close()  # end the connection without an answer
        return web.Response(status=outcome.status or 503, body=outcome.body, content_type="application/json")


def keeps_apart(connection: Connection) -> bool:
    """Whether the cluster's webhooks have match conditions. Without them, webhooks would be called for all tenants."""
    try:
        version: Mapping[str, str] = orjson.loads(connection.request("GET", "/version", {}).body)
        major, minor = (int(re.match(r"\d*", version[part])[0] or 0) for part in ("major", "minor"))  # type: ignore[index]
    except (ConnectionError, orjson.JSONDecodeError, KeyError):
        return False
    return (major, minor) >= (1, _FIRST)
