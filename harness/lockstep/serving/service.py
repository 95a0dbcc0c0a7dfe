"""A served cluster from start to end: the simulation, the HTTP front, and periodic work."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from lockstep.apiserver import ApiServer
from lockstep.serving import ServeError
from lockstep.serving.boxes import Outbox
from lockstep.serving.front import Front
from lockstep.serving.incoming import LARGEST_BODY
from lockstep.serving.kubeconfig import kubeconfig
from lockstep.serving.simulation import COMPACTION_INTERVAL, Setup, Simulation

#: Seconds between bookmarks, as kube-apiserver's watch cache sends them.
BOOKMARK_INTERVAL = 60.0
#: Seconds that a client has to read the remaining data when the server ends.
_PATIENCE = 2.0


@dataclass(frozen=True, slots=True)
class Listen:
    """Where the server listens. `port` 0: a free one. `certificate` and `key`: PEM files; without them, plain HTTP.

    `token`: the bearer token that clients must show, "" for none.
    """

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None
    token: str = ""


@dataclass(slots=True)
class Service:
    """A running server. `failed` is done, with one line, when the simulation has ended by itself."""

    url: str
    simulation: Simulation
    failed: asyncio.Future[str]
    kubeconfig: str
    _runner: web.AppRunner
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def stop(self) -> None:
        """End every watch, answer open requests, and close."""
        for task in self._tasks:
            task.cancel()
        for site in list(self._runner.sites):
            await site.stop()
        await asyncio.to_thread(self.simulation.stop)
        await asyncio.sleep(0)  # the ends of watches are in flight
        await self._runner.cleanup()


async def serve(setup: Setup, listen: Listen) -> Service:
    """Start serving. Raises ServeError if that is impossible."""
    context, authority = _tls(listen)
    running = asyncio.get_running_loop()
    outbox, failed = Outbox(running), running.create_future()

    def fail(why: str) -> None:
        if not failed.done():
            failed.set_result(why)
            front.fail(why)

    simulation = Simulation(setup, lambda why: outbox.put(lambda: fail(why)))
    front = Front(simulation, outbox, listen.token)
    await asyncio.to_thread(simulation.start)
    app = web.Application(client_max_size=LARGEST_BODY)
    app.router.add_route("*", "/{path:.*}", front.handle)
    quiet = logging.getLogger("lockstep.serve.http")  # aiohttp logs a traceback for every malformed request
    quiet.setLevel(logging.CRITICAL)
    runner = web.AppRunner(app, logger=quiet, access_log=None, handler_cancellation=True, shutdown_timeout=_PATIENCE)
    await runner.setup()
    try:
        site = web.TCPSite(runner, listen.host, listen.port, ssl_context=context)
        await site.start()
    except OSError as error:
        await asyncio.to_thread(simulation.stop)
        await runner.cleanup()
        raise ServeError(f"cannot listen on {listen.host}:{listen.port}: {error.strerror or error}") from error
    host, port = runner.addresses[0][:2]
    url = f"{'https' if context else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
    service = Service(url, simulation, failed, kubeconfig(url, listen.token, authority), runner)
    for interval, job in (
        (COMPACTION_INTERVAL, simulation.compact),
        (BOOKMARK_INTERVAL, lambda: _bookmarks(simulation)),
    ):
        service._tasks.append(asyncio.create_task(_every(interval, job)))  # noqa: SLF001 - made here
    return service


def is_loopback(host: str) -> bool:
    """Whether a host is a loopback address."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _tls(listen: Listen) -> tuple[ssl.SSLContext | None, bytes]:
    """The server's context, and the certificate for clients to trust."""
    if listen.certificate is None:
        return None, b""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(listen.certificate, listen.key)
        return context, listen.certificate.read_bytes()
    except (OSError, ssl.SSLError) as error:
        raise ServeError(f"certificate {listen.certificate}: {error}") from error


async def _every(interval: float, job: Callable[[], object]) -> None:
    while True:
        await asyncio.sleep(interval)
        job()


def _bookmarks(simulation: Simulation) -> None:
    simulation.post(lambda: _send_bookmarks(simulation.server))


def _send_bookmarks(server: ApiServer) -> None:
    """To all watches except those of collections that are shown in several forms: a bookmark has only one."""
    kinds = list(server.state.registry)
    several = {kind.collection for kind in kinds if kind.stored_as}
    for kind in kinds:
        if kind.collection not in several:
            server.send_bookmarks(kind.resource)
