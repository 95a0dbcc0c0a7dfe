"""Servers of ours that a real API server calls over HTTPS. They serve all tenants, each of which answers on its own
thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from aiohttp import web

from lockstep.clusters.real.trust import Trust

_Tenant = TypeVar("_Tenant")
_Answer = TypeVar("_Answer")


class TenantServer(Generic[_Tenant]):
    """Listens on `host`. `loop` is that of the thread on which it serves."""

    def __init__(self, loop: asyncio.AbstractEventLoop, host: str) -> None:
        self._loop = loop
        self._host = host
        self._tenants: dict[str, _Tenant] = {}
        self._runner: web.AppRunner | None = None

    def join(self, prefix: str, tenant: _Tenant) -> None:
        """Pass requests for this tenant to it from now on."""
        self._tenants[prefix] = tenant

    def leave(self, prefix: str) -> None:
        """Pass no more requests to this tenant."""
        self._tenants.pop(prefix, None)

    def stop(self) -> None:
        """Stop serving."""
        if self._runner is not None:
            asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()

    def _listen(
        self, app: web.Application, method: str, handle: Callable[[web.Request], Awaitable[web.Response]], trust: Trust
    ) -> int:
        """Serve every path of one method; returns the port."""
        app.router.add_route(method, "/{path:.*}", handle)
        return asyncio.run_coroutine_threadsafe(self._start(app, trust), self._loop).result()

    async def _start(self, app: web.Application, trust: Trust) -> int:
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, 0, ssl_context=trust.server)
        await site.start()
        port: int = self._runner.addresses[0][1]
        return port

    async def _answered(self, ask: Callable[[Callable[[_Answer], None]], None], within: float) -> _Answer:
        """The answer that `ask` gets on another thread. Raises TimeoutError after `within` seconds."""
        answered: asyncio.Future[_Answer] = self._loop.create_future()

        def conclude(found: _Answer) -> None:
            if not answered.done():
                answered.set_result(found)

        def answer(found: _Answer) -> None:
            self._loop.call_soon_threadsafe(conclude, found)

        ask(answer)
        return await asyncio.wait_for(answered, within)
