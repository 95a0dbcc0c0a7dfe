"""Calls of a webhook that is a program of its own: what it answers, and what comes of it if it does not."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from lockstep.clusters.control_plane.certificates import Authority
from lockstep.clusters.control_plane.starting import free_ports
from lockstep.clusters.real.callee import Callee
from lockstep.clusters.real.gateway import Gateways
from lockstep.network import Broken
from lockstep.network.calls import HUNG_UP, REFUSED, Served
from lockstep.serving.boxes import Inbox

PATIENCE = 10.0
HEADERS = {"Content-Type": "application/json"}


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    gateways = Gateways()
    yield gateways.loop
    gateways.close()


class Program:
    """A server that answers at /, breaks the connection at /broken, and never answers at /slow."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.asked = threading.Event()
        authority = Authority(folder)
        pair = authority.server("program", "127.0.0.1")
        (port,) = free_ports(1)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(pair.certificate, pair.key)
        self.callee = Callee(f"https://127.0.0.1:{port}", authority.certificate)
        self._runner = web.AppRunner(self._app(), shutdown_timeout=0.1)
        asyncio.run_coroutine_threadsafe(self._serve(port, context), loop).result(PATIENCE)

    def _app(self) -> web.Application:
        async def answer(http: web.Request) -> web.Response:
            self.asked.set()
            if http.path == "/slow":
                await asyncio.sleep(PATIENCE)
            if http.path == "/broken" and http.transport is not None:
                http.transport.abort()
            return web.Response(status=200, body=http.headers["Content-Type"].encode() + b" " + await http.read())

        app = web.Application()
        app.router.add_route("POST", "/{path:.*}", answer)
        return app

    async def _serve(self, port: int, context: ssl.SSLContext) -> None:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=context).start()

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(PATIENCE)


@pytest.fixture
def program(tmp_path: Path, loop: asyncio.AbstractEventLoop) -> Iterator[Program]:
    made = Program(tmp_path, loop)
    yield made
    made.stop()


def answer_of(callee: Callee, loop: asyncio.AbstractEventLoop, path: str) -> Served | Broken:
    inbox, answers = Inbox(), list[Served | Broken]()
    callee.call(loop, inbox, "POST", path, HEADERS, b"{}", answers.append)
    while not answers:
        inbox.wait(PATIENCE)
        assert inbox.run(), "no answer has come"
    return answers[0]


def test_an_answer_is_what_the_program_said(program: Program, loop: asyncio.AbstractEventLoop) -> None:
    assert answer_of(program.callee, loop, "/") == Served(200, b"application/json {}")


def test_a_connection_that_breaks_is_no_answer(program: Program, loop: asyncio.AbstractEventLoop) -> None:
    assert answer_of(program.callee, loop, "/broken") == HUNG_UP


def test_a_program_that_is_not_there_refuses(program: Program, loop: asyncio.AbstractEventLoop) -> None:
    program.stop()
    assert answer_of(program.callee, loop, "/") == REFUSED


def test_a_call_that_was_taken_back_is_not_answered(program: Program, loop: asyncio.AbstractEventLoop) -> None:
    inbox, answers = Inbox(), list[Served | Broken]()
    take_back = program.callee.call(loop, inbox, "POST", "/slow", HEADERS, b"{}", answers.append)
    assert program.asked.wait(PATIENCE)
    take_back()
    assert answer_of(program.callee, loop, "/") == Served(200, b"application/json {}")
    inbox.run()
    assert answers == []
