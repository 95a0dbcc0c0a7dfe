"""Calls into a controller of the reference: when they are answered, and what a crash does to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from lockstep.apiserver import ApiServer
from lockstep.implementations.listening import Listening
from lockstep.network import Broken, Network
from lockstep.network.calls import HUNG_UP, REFUSED, Served
from lockstep.time.loop import VirtualLoop, run

Heard = list[tuple[float, Served | Broken]]
Body = Callable[[Listening, VirtualLoop, Callable[[str], Callable[[], None]]], Awaitable[None]]


async def _handler(path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
    if path == "/slow":
        await asyncio.sleep(5)
    if path == "/panics":
        raise RuntimeError("the handler has a bug")
    return 201, {}, headers["X-Colour"].encode() + body


def _play(body: Body) -> Heard:
    loop = VirtualLoop()
    listening = Listening(loop, Network(loop, ApiServer(lambda: loop.now)))
    heard: Heard = []

    def call(path: str) -> Callable[[], None]:
        return listening.serve(path, {"X-Colour": "red"}, b"!", lambda answer: heard.append((loop.time(), answer)))

    async def main() -> None:
        await body(listening, loop, call)

    run(loop, main())
    return heard


def test_a_call_is_answered_when_the_handler_is_done() -> None:
    async def body(listening: Listening, loop: VirtualLoop, call: Callable[[str], object]) -> None:
        listening.listen(_handler)
        call("/slow")
        call("/echo")
        await loop.world_sleep(10)

    assert _play(body) == [(0.0, Served(201, b"red!")), (5.0, Served(201, b"red!"))]


def test_calls_are_refused_before_there_is_a_handler_and_after_a_crash() -> None:
    async def body(listening: Listening, loop: VirtualLoop, call: Callable[[str], object]) -> None:
        call("/echo")
        listening.listen(_handler)
        call("/slow")
        await loop.world_sleep(1)
        listening.crash()
        call("/echo")
        await loop.world_sleep(10)

    assert _play(body) == [(0.0, REFUSED), (1.0, HUNG_UP), (1.0, REFUSED)]


def test_a_handler_that_fails_hangs_up() -> None:
    async def body(listening: Listening, loop: VirtualLoop, call: Callable[[str], object]) -> None:
        listening.listen(_handler)
        call("/panics")
        await loop.world_sleep(1)

    assert _play(body) == [(0.0, HUNG_UP)]


def test_a_caller_that_has_gone_gets_no_answer() -> None:
    async def body(listening: Listening, loop: VirtualLoop, call: Callable[[str], Callable[[], None]]) -> None:
        listening.listen(_handler)
        hang_up = call("/slow")
        await loop.world_sleep(1)
        hang_up()
        hang_up()
        call("/slow")
        await loop.world_sleep(1)
        listening.forget()
        await loop.world_sleep(10)

    assert _play(body) == []
