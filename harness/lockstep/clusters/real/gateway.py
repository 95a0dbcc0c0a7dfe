"""The gateway: how a controller that is a separate program reaches a tenant's network.

It serves plain HTTP on loopback, and passes each request to the tenant's network as one of the controller. So the
program meets the same faults, and leaves the same history, as a controller inside the process. It converts protobuf
requests to JSON, and answers in JSON.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import orjson
from aiohttp import web

from lockstep.apiserver import Reply, Request, WatchEvent
from lockstep.network import Broken, Network
from lockstep.serving.bodies import PROTOBUF
from lockstep.serving.boxes import Inbox, Outbox
from lockstep.serving.crossing import answering, relay
from lockstep.serving.incoming import LARGEST_BODY
from lockstep.serving.negotiation import JSON
from lockstep.serving.protobuf import decode
from lockstep.serving.streams import Stream

#: Seconds for open requests to end when gateways close.
_PATIENCE = 1.0


class Gateway:
    """The gateway of one program. The tenant's thread starts and stops it; it serves on the thread of `Gateways`.

    `actor`: the actor of its requests; "" for a program of several controllers, whose User-Agent names it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, inbox: Inbox, network: Network, actor: str = "") -> None:
        self._loop = loop
        self._inbox = inbox
        self._network = network
        self._actor = actor
        self._outbox = Outbox(loop)
        self._runner: web.AppRunner | None = None
        #: Whether requests are answered. Those of a program that has been killed are not.
        self.dead = False

    def start(self) -> str:
        """Listen on a free port. Returns the URL."""
        return asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()

    def stop(self) -> None:
        """Stop listening. End the program before, so that no request is open."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop)

    async def _start(self) -> str:
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=_PATIENCE)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return site.name

    async def _stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        request = await _request(http, self._actor)
        answered: asyncio.Future[Reply | Stream | Broken] = self._loop.create_future()
        answer = answering(answered, self._inbox, self._outbox)
        self._inbox.put(lambda: self._network.submit(request, answer, lambda: self.dead or answered.done()))
        result = await answered
        if isinstance(result, Broken):
            assert http.transport is not None
            http.transport.abort()
            return web.Response(status=503)
        if isinstance(result, Stream):
            return await relay(http, request, result, WatchEvent.raw)
        return web.Response(status=result.status, body=result.raw(), headers=dict(result.headers))


async def _request(http: web.Request, actor: str) -> Request:
    raw = await http.read()
    media = http.headers.get("Content-Type", JSON).partition(";")[0]
    body: Any = None
    if media == PROTOBUF:
        body, media = decode(raw) if raw else None, JSON
    elif raw:
        body = orjson.loads(raw)
    return Request(
        http.method,
        http.path,
        dict(http.query),
        body,
        media,
        actor or actor_of(http.headers.get("User-Agent", "")),
        accept=_readable(http.headers.get("Accept", "")),
    )


def _readable(accept: str) -> str:
    """The accepted media types without those that we cannot read: programs of the VPA would accept protobuf."""
    return ",".join(one for one in accept.split(",") if "json" in one or "protobuf" not in one)


def actor_of(agent: str) -> str:
    """The actor that a User-Agent names: kube-controller-manager adds the controller's name at the end."""
    return agent.rpartition("/")[2].strip() or "client"


class Gateways:
    """The thread on which all gateways of a session serve."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="lockstep-gateways", daemon=True)
        self._thread.start()

    def open(self, inbox: Inbox, network: Network, actor: str = "") -> Gateway:
        """A new gateway; `start` it."""
        return Gateway(self.loop, inbox, network, actor)

    def close(self) -> None:
        """End all gateways and the thread."""
        asyncio.run_coroutine_threadsafe(_end_others(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _end_others() -> None:
    """Let every other task of this loop come to its end, or else cancel it."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=_PATIENCE)
        for task in others:
            task.cancel()
        await asyncio.wait(others)
