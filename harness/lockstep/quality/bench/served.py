"""Figures of the served cluster: mixed traffic of many clients, and one collection with a hundred watchers."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from lockstep.quality.bench.figures import BenchFailed, Figure, at_most
from lockstep.quality.bench.mixed_traffic import play
from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup

if TYPE_CHECKING:
    from lockstep.quality.bench.sides import Sides

_MAPS = "/api/v1/namespaces/default/configmaps"


def traffic(sides: Sides, seconds: float = 10.0, watchers: int = 100, writes: int = 200) -> list[Figure]:
    """Requests and events a second over HTTP, client and server on this machine. Raises BenchFailed."""
    with tempfile.TemporaryDirectory() as folder, KubeApi(Path(folder), Setup(controllers=("replicaset",))) as api:
        outcome = asyncio.run(play(api.url, seconds=seconds))
        fanned_out = asyncio.run(_fan_out(api.url, watchers, writes))
    if not outcome.requests:
        raise BenchFailed("the served cluster answered no request: run `lockstep serve` to see why")
    return [
        Figure("HTTP, 50 clients, requests", outcome.requests / outcome.seconds, "a second"),
        Figure("HTTP, 50 clients, watches that are not the history", len(outcome.faults), "", at_most(0)),
        Figure(f"HTTP, {watchers} watchers, events", fanned_out, "a second"),
    ]


async def _fan_out(url: str, watchers: int, writes: int) -> float:
    """Events that reach their watchers in a second, all of them together."""
    async with aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(limit=0)) as session:
        opened = asyncio.Semaphore(0)

        async def watch() -> None:
            seen = 0
            async with session.get(_MAPS, params={"watch": "true", "resourceVersion": version}) as answer:
                opened.release()
                async for _ in answer.content:
                    seen += 1
                    if seen == writes:
                        return

        async with session.get(_MAPS) as listed:
            version = (await listed.json())["metadata"]["resourceVersion"]
        watching = [asyncio.create_task(watch()) for _ in range(watchers)]
        for _ in watching:
            await opened.acquire()
        began = time.perf_counter()
        for number in range(writes):
            async with session.post(_MAPS, json={"metadata": {"name": f"fan-{number}"}}) as made:
                await made.read()
        await asyncio.gather(*watching)
        return watchers * writes / (time.perf_counter() - began)
