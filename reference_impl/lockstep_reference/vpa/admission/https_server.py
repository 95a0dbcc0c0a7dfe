"""The admission controller as a real HTTPS server (pkg/admission-controller/main.go; config.go: configTLS).

A simulated cluster does not need it: there the handler is called directly.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

Handler = Callable[[str, Mapping[str, str], bytes], Awaitable[tuple[int, Mapping[str, str], bytes]]]

#: --min-tls-version.
_VERSIONS = {"": ssl.TLSVersion.TLSv1_2, "tls1_2": ssl.TLSVersion.TLSv1_2, "tls1_3": ssl.TLSVersion.TLSv1_3}
#: The API server sends old and new objects in full.
_MOST_BYTES = 64 * 1024 * 1024


def tls_context(cert_file: Path, key_file: Path, min_tls_version: str = "tls1_2") -> ssl.SSLContext:
    """TLS settings from the flags of these names (configTLS). Raises ValueError and OSError where upstream exits."""
    version = _VERSIONS.get(min_tls_version)
    if version is None:
        raise ValueError(
            f"unable to determine value for --min-tls-version ({min_tls_version}), must be either tls1_2 or tls1_3"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = version
    context.load_cert_chain(cert_file, key_file)
    return context


@asynccontextmanager
async def serve_https(
    handler: Handler, context: ssl.SSLContext, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[int]:
    """Serve `handler` while the context lasts; yields the port. `port` 0 means a free one.

    If the handler fails, only the connection of that request is closed, as in Go's server.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        try:
            status, headers, answered = await handler(request.path, request.headers, body)
        except Exception:
            if request.transport is not None:
                request.transport.abort()
            raise
        return web.Response(status=status, headers=headers, body=answered)

    application = web.Application(client_max_size=_MOST_BYTES)
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, ssl_context=context)
        await site.start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
